// Written by `python -m aune.reports.page.schema` from that file; do not edit.

export interface Cell {
  text: string;
  best?: boolean;
  link?: string;
  title?: string;
  shade?: number;
  interval?: number[];
  right?: boolean;
}

export interface Grid {
  header: string[];
  rows: Cell[][];
  names?: number;
  title?: string;
  over?: [string, number][];
  parts?: number[];
  notes?: string[];
  copies?: Record<string, string>;
}

export interface Choice {
  id: string;
  label: string;
  block: string;
}

export interface Ranking {
  table: Grid;
  differences: Grid | null;
  said: string;
}

export interface Documents {
  shown: Record<string, string[]>;
  values: Record<string, (number | null)[]>;
  worth: Record<string, (number | null)[]>;
  copies: Record<string, string>;
}

export interface PackedErrors {
  total: number;
  kinds: Grid;
  strings: string[];
  columns: Record<string, string>;
  listed: number[];
  contexts: string[];
}

export interface Confusion {
  table: Grid;
  row: string;
  column: string;
  hidden: number;
}

export interface Spans {
  start?: number[];
  end?: number[];
  group?: number[];
  label?: string[];
  twin?: number[];
  error?: string[];
  minor?: boolean[];
}

export interface AlignedWords {
  start: number;
  end: number;
  words?: string[] | null;
  tags?: string[];
  error?: string;
}

export interface Layer {
  spans?: Spans | null;
  columns?: AlignedWords[][];
  missed?: Record<string, string>;
  words?: string[] | null;
  tags?: string[] | null;
}

export interface Text {
  words?: string[];
  sentences?: number[];
  names?: string[];
  tags?: string[];
  places?: number[];
  key?: Spans | null;
  layers?: Record<string, Layer>;
}

export interface Sign {
  text: string;
  tone: "bad" | "open" | "left";
}

export interface Summary {
  title: string;
  systems: string[];
  documents: string[];
  rankings: Choice[];
  main: string;
  groups: Choice[];
  measures: Choice[];
  errors: boolean;
  confusion: boolean;
  facets: string[];
  labels: string[];
  texts: [number, number][];
  signs: Record<string, Sign>;
}
