// What may be annotated: types with their colours, keys and help, features with their values, relations.

/** @typedef {{ name: string, colour: string, key: string, help: string, inside: string[] | null }} LabelType */
/**
 * @typedef {{ name: string, kind: "closed" | "text" | "number", values: string[], types: string[], help: string }}
 * FeatureRule
 */
/**
 * @typedef {{ name: string, sources: string[], targets: string[], symmetric: boolean, help: string }} RelationRule
 */
/**
 * @typedef {{ name: string, types: LabelType[], features: FeatureRule[], relations: RelationRule[], closed: boolean }}
 * PlainSchema
 */

/** @type {PlainSchema} */
const OPEN = { name: "", types: [], features: [], relations: [], closed: false };
const JOINER = "+"; // between the tags of several words in one token

export class Schema {
  /** @param {PlainSchema | null} [plain] */
  constructor(plain) {
    const { types, features, relations, closed } = plain ?? OPEN;
    this.closed = closed && types.length > 0;
    this.features = features;
    this.relations = relations;
    /** @type {Map<string, LabelType>} */
    this.types = new Map(types.map((type) => [type.name, type]));
    this.labels = types.map(({ name }) => name);
    this.byKey = new Map(types.filter(({ key }) => key).map(({ key, name }) => [key, name]));
  }

  /** The hue that a type was given, null where it was given none. @param {string} label */
  hueOf(label) {
    const colour = this.types.get(label)?.colour;
    return colour ? hueOfColour(colour) : null;
  }

  /** Whether a type only stands inside of others. @param {string} label */
  isComponent(label) {
    return Boolean(this.types.get(label)?.inside);
  }

  /** Whether a label is one of the schema, or joins several that are. @param {string} label */
  knows(label) {
    return this.types.has(label) || (label.includes(JOINER) && label.split(JOINER).every((tag) => this.types.has(tag)));
  }

  /** The features that mentions of a type have. @param {string} label */
  featuresOf(label) {
    return this.features.filter(({ types }) => !types.length || types.includes(label));
  }

  /** The relations that may go from a mention of a type. @param {string} label */
  relationsFrom(label) {
    return this.relations.filter(({ sources }) => !sources.length || sources.includes(label));
  }
}

/** The hue of a colour such as #cc6600, in degrees. @param {string} colour */
export function hueOfColour(colour) {
  const [red, green, blue] = [1, 3, 5].map((place) => Number.parseInt(colour.slice(place, place + 2), 16));
  const [high, low] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  if (high === low) return 0;
  const third = red === high
    ? (green - blue) / (high - low)
    : green === high
    ? 2 + (blue - red) / (high - low)
    : 4 + (red - green) / (high - low);
  return Math.round((third * 60 + 360) % 360);
}
