// What was done and is not yet with the server. Every action is kept in this browser before it is sent, and forgotten
// only
// when the server says that it has it: closing the window, reloading or ten minutes without a network lose nothing.

/** @typedef {import("./state.js").Change} Change */
/**
 * @typedef {object} LayerEvent
 * @property {string} id
 * @property {string} operation
 * @property {Change[]} changes
 * @property {number | null} undoes
 * @property {number | null} redoes
 * @property {string} reason
 * @property {string[]} [about] what was decided on
 */
/**
 * An event that waits; it may undo one that waits too, which has no version yet.
 * @typedef {{ event: LayerEvent, undoesId?: string, redoesId?: string }} Waiting
 */
/** @typedef {{ version: number, events: LayerEvent[] }} Moved */
/** @typedef {"saved" | "sending" | "offline" | "moved" | "refused" | "closed" | "signedout"} QueueState */

const BATCH = 200;
const PATIENCE = [500, 1000, 2000, 4000, 8000];
const [SIGNED_OUT, FORBIDDEN, NO_ROOM] = [401, 403, 507];
/** States in which nothing is sent before somebody chose. @type {QueueState[]} */
const WAITING_FOR_A_CHOICE = ["moved", "refused", "closed", "signedout"];

/** The token against forged requests, which every page has in its head. */
export const csrf = () => document.querySelector('meta[name="csrf"]')?.getAttribute("content") ?? "";

/**
 * Take the token of a fresh page, after somebody signed in again: the old one belongs to the session that ended.
 * @returns {Promise<boolean>} whether the server lets this browser in
 */
export async function renewToken() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok || response.redirected) return false;
  const token = /<meta name="csrf" content="(\w+)">/.exec(await response.text())?.[1];
  if (token) document.querySelector('meta[name="csrf"]')?.setAttribute("content", token);
  return Boolean(token);
}

/**
 * Ask the server.
 * @param {string} address
 * @param {unknown} [body] sent when there is one
 * @returns {Promise<Response>}
 */
export function asked(address, body) {
  const headers = { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": csrf() };
  return fetch(
    address,
    body === undefined
      ? { headers: { Accept: "application/json" } }
      : { method: "POST", headers, body: JSON.stringify(body) },
  );
}

/**
 * What the server answers, or an error in its words.
 * @param {string} address
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export async function answered(address, body) {
  const response = await asked(address, body);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error((answer.problems ?? [`the server answered ${response.status}`]).join("; "));
  return answer;
}

export class Queue {
  /**
   * @param {string} api the address of the layer
   * @param {string} name of this layer in the browser's storage
   * @param {number} version that the layer has
   * @param {() => void} changed when there is something else to show
   */
  constructor(api, name, version, changed) {
    this.api = api;
    this.key = `aune:${name}:${windowName()}`;
    this.version = version;
    this.changed = changed;
    /** @type {Waiting[]} */
    this.waiting = [];
    /** The versions that events of this visit got. @type {Map<string, number>} */
    this.versions = new Map();
    /** @type {QueueState} */
    this.state = "saved";
    /** What others did since, when they did. @type {Moved | null} */
    this.moved = null;
    /** @type {string[]} */
    this.problems = [];
    /** Why what waits is not saved yet, while it is tried again and again. */
    this.trouble = "";
    /** Whether the token was renewed since the last answer. */
    this.renewed = false;
    this.sending = false;
    this.failures = 0;
    this.timer = 0;
    /** Whether what waits would survive this window: a browser's storage may be full, or closed to pages. */
    this.kept = true;
    addEventListener("online", () => this.soon(0));
    addEventListener("beforeunload", (event) => {
      this.keep();
      if (!this.kept) event.preventDefault(); // the browser asks before it closes the window
    });
  }

  /** @param {Waiting} waiting */
  add(waiting) {
    this.waiting.push(waiting);
    this.keep();
    if (this.state === "saved") this.state = "sending";
    this.changed();
    this.soon(0);
  }

  keep() {
    if (!this.waiting.length) localStorage.removeItem(this.key);
    try {
      if (this.waiting.length) localStorage.setItem(
        this.key,
        JSON.stringify({ base: this.version, waiting: this.waiting }),
      );
      this.kept = true;
    } catch {
      this.kept = false;
    }
  }

  /** @param {number} wait in milliseconds */
  soon(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), wait);
  }

  /** The version that an event has, or will have when all before it are in. @param {string} id */
  versionOf(id) {
    const place = this.waiting.findIndex((one) => one.event.id === id);
    return place < 0 ? (this.versions.get(id) ?? null) : this.version + place + 1;
  }

  /** @param {Waiting} waiting @returns {LayerEvent} */
  numbered({ event, undoesId, redoesId }) {
    return {
      ...event,
      undoes: undoesId ? this.versionOf(undoesId) : event.undoes,
      redoes: redoesId ? this.versionOf(redoesId) : event.redoes,
    };
  }

  async send() {
    if (this.sending || !this.waiting.length || this.moved || WAITING_FOR_A_CHOICE.includes(this.state)) return;
    this.sending = true;
    const batch = this.waiting.slice(0, BATCH);
    try {
      const response = await asked(
        `${this.api}events`,
        { base: this.version, events: batch.map((one) => this.numbered(one)) },
      );
      await this.heard(response, batch);
    } catch {
      this.later("no network");
    }
    this.sending = false;
    this.changed();
    if (this.waiting.length && this.state === "sending") this.soon(0);
  }

  /** @param {string} trouble */
  later(trouble) {
    this.state = "offline";
    this.trouble = trouble;
    this.soon(PATIENCE[Math.min(this.failures, PATIENCE.length - 1)]);
    this.failures += 1;
  }

  /** @param {Response} response @param {Waiting[]} batch */
  async heard(response, batch) {
    const answer = await response.json().catch(() => ({}));
    if (response.ok) {
      batch.forEach((one, place) => this.versions.set(one.event.id, answer.version - batch.length + place + 1));
      this.waiting.splice(0, batch.length);
      this.version = answer.version;
      this.failures = 0;
      this.renewed = false;
      this.keep();
      this.state = this.waiting.length ? "sending" : "saved";
    } else if (response.status === 409) {
      this.moved = answer;
      this.state = "moved";
    } else if (response.status === 422 || response.status === 413) {
      this.problems = answer.problems ?? ["the server refused this"];
      this.state = "refused";
    } else if (response.status === SIGNED_OUT) {
      this.state = "signedout";
    } else if (response.status === FORBIDDEN && !this.renewed) {
      this.renewed = true; // perhaps only the token is old: somebody signed in again in another window
      this.state = (await renewToken()) ? "sending" : "signedout";
    } else if (response.status < 500) {
      this.problems = answer.problems ?? ["this layer is not open to you any more"];
      this.state = "closed";
    } else this.later(
      response.status === NO_ROOM ? "no room left on the server" : `the server cannot save now (${response.status})`,
    );
  }

  /** Go on after the session ended, when somebody signed in again. @returns {Promise<boolean>} whether it goes on */
  async signedIn() {
    if (this.state !== "signedout" || !(await renewToken().catch(() => false))) return false;
    this.restart(this.version, this.waiting);
    return true;
  }

  /** Whether others went on while nothing waited here. */
  async isBehind() {
    if (this.waiting.length || this.sending || this.moved) return false;
    const history = await answered(`${this.api}history?since=${this.version}`).catch(() => null);
    return history !== null && history.version > this.version && !this.waiting.length;
  }

  /**
   * Begin again from what the server has; `waiting` is to be put on top of it.
   * @param {number} version
   * @param {Waiting[]} waiting
   */
  restart(version, waiting) {
    this.version = version;
    this.waiting = waiting;
    this.moved = null;
    this.problems = [];
    this.failures = 0;
    this.state = waiting.length ? "sending" : "saved";
    this.keep();
    this.changed();
    this.soon(0);
  }

  /**
   * What waits becomes a layer of its own; the rest of very much is sent from there.
   * @returns {Promise<string>} its address
   */
  async copied() {
    const events = this.waiting.map((one) => this.numbered(one));
    const { layer, address, version } = await answered(
      `${this.api}copy`,
      { base: this.version, events: events.slice(0, BATCH), name: "" },
    );
    const waiting = events.slice(BATCH).map((event) => ({ event }));
    if (waiting.length) localStorage.setItem(
      `aune:${layer}:${windowName()}`,
      JSON.stringify({ base: version, waiting }),
    );
    this.waiting = [];
    this.keep();
    return address;
  }

  /** In words. */
  said() {
    const unsent = `${this.waiting.length} unsent`;
    const kept = this.kept ? "kept here" : "leave this window open";
    switch (this.state) {
      case "saved":
        return "saved";
      case "sending":
        return this.waiting.length > 1 ? unsent : "saving";
      case "offline":
        return `${this.trouble}: ${unsent}, ${kept}`;
      case "signedout":
        return `signed out: ${unsent}, ${kept}`;
      case "moved":
        return `changed elsewhere: ${unsent}`;
      default:
        return `not saved: ${unsent}, ${kept}`;
    }
  }
}

/** A name for this window that lasts as long as it does. */
function windowName() {
  const known = sessionStorage.getItem("aune:window");
  const name = known ?? Math.random().toString(36).slice(2);
  sessionStorage.setItem("aune:window", name);
  return name;
}

/**
 * What waits in this browser for a layer: this window's own, and what windows left that are closed now. A window that
 * is
 * open holds the lock of its queue; a browser without locks only takes up its own.
 * @param {string} name
 * @returns {Promise<Left>}
 */
export async function leftBehind(name) {
  const own = `aune:${name}:${windowName()}`;
  if (navigator.locks && !(await held(own))) {
    // the window was copied, name and all: both may not write to one place
    sessionStorage.removeItem("aune:window");
    await held(`aune:${name}:${windowName()}`);
    return NOTHING_LEFT;
  }
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(`aune:${name}:`) && key !== own);
  let left = read(own);
  for (const key of navigator.locks ? keys : []) {
    const orphan = await navigator.locks.request(key, { ifAvailable: true }, (lock) => lock && read(key));
    if (!orphan) continue;
    left = { base: Math.min(left.base, orphan.base), waiting: [...left.waiting, ...orphan.waiting] };
    localStorage.setItem(own, JSON.stringify(left));
    localStorage.removeItem(key);
  }
  return left;
}

/** @typedef {{ base: number, waiting: Waiting[] }} Left what waits, and the version of the layer it was done on */

/** @type {Left} */
const NOTHING_LEFT = { base: Number.MAX_SAFE_INTEGER, waiting: [] };

/** @param {string} key @returns {Left} */
const read = (key) => JSON.parse(localStorage.getItem(key) ?? "null") ?? NOTHING_LEFT;

/** Hold a lock until the window closes; whether that was possible. @param {string} key @returns {Promise<boolean>} */
function held(key) {
  return new Promise((done) => {
    navigator.locks.request(key, { ifAvailable: true }, (lock) => {
      done(lock !== null);
      return lock ? new Promise(() => {}) : undefined;
    });
  });
}
