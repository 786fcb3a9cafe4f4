// The parts of the text view, one by one.

import { Characters, fromWords, hue, marked, placed, sentencesOf, spansBySentence, spansOf, TextSheet } from "../../src/aune/web/shared/text.js";
import { randomly, same } from "./checks.js";

/** @param {number} start @param {number} end @param {number} [group] */
const span = (start, end, group = 0) => ({ start, end, group, label: "", twin: group, error: "", minor: false });

/** Marks as brackets. @param {string[]} words @param {{ start: number, end: number }[]} places */
function bracketed(words, places) {
  const root = document.createElement("p");
  const spans = places.map(({ start, end }) => span(start, end));
  root.append(
    ...marked(fromWords(words), 0, words.length, spans, (_, inside) => {
      const element = document.createElement("span");
      element.append("[", ...inside, "]");
      return element;
    }),
  );
  return root.textContent;
}

export function test_plain_words() {
  same(bracketed(["a", "b"], []), "a b");
}

export function test_nested_marks() {
  same(bracketed(["a", "b", "c", "d"], [span(0, 3), span(1, 2), span(3, 4)]), "[a [b] c] [d]");
}

export function test_the_same_place_twice() {
  same(bracketed(["a", "b"], [span(0, 1), span(0, 1)]), "[[a]] b");
}

export function test_crossing_marks_are_cut() {
  same(bracketed(["a", "b", "c"], [span(0, 2), span(1, 3)]), "[a [b]] [c]");
}

export function test_every_word_once_whatever_the_marks() {
  const random = randomly(7);
  for (let round = 0; round < 200; round += 1) {
    const words = Array.from({ length: 1 + random(12) }, (_, place) => `w${place}`);
    const spans = Array.from({ length: random(9) }, () => {
      const start = random(words.length);
      return span(start, start + 1 + random(words.length - start));
    });
    same(bracketed(words, spans)?.replace(/[[\]]/g, ""), words.join(" "));
  }
}

export function test_characters_beyond_the_first_plane() {
  const text = new Characters("a😀b\u0301c");
  same(text.length, 5);
  same(text.slice(1, 2), "😀");
  same(text.slice(2, 4), "b\u0301");
  for (let point = 0; point <= text.length; point += 1) same(text.point(text.unit(point)), point);
  same(new Characters("abc").point(2), 2);
}

export function test_every_character_once_whatever_the_marks() {
  const random = randomly(11);
  for (let round = 0; round < 200; round += 1) {
    const text = Array.from({ length: 1 + random(12) }, () => "ab 😀é"[random(5)] ?? "x").join("");
    const source = new Characters(text.replace(/[\ud800-\udfff]/g, "😀"));
    const spans = Array.from({ length: random(9) }, () => {
      const start = random(source.length + 1);
      return { start, end: start + random(source.length - start + 1) };
    });
    const root = document.createElement("p");
    let marks = 0;
    root.append(
      ...marked(source, 0, source.length, spans, (_, inside, __, last) => {
        marks += Number(last);
        const element = document.createElement("span");
        element.append(...inside);
        return element;
      }),
    );
    same(root.textContent, source.text);
    same(marks, spans.length);
  }
}

export function test_long_sentences_are_cut() {
  const sentences = sentencesOf(1000, [0, 3], ["", "name"]);
  same(sentences.map((one) => [one.start, one.end, one.first, one.last]).slice(0, 3), [
    [0, 3, true, true],
    [3, 203, true, false],
    [203, 403, false, false],
  ]);
  same(sentences.at(-1)?.end, 1000);
  same(sentencesOf(0, [], []).length, 1);
}

export function test_spans_go_to_their_sentences() {
  const sentences = sentencesOf(9, [0, 3, 6], []);
  same(
    spansBySentence(sentences, [span(0, 1), span(2, 4), span(6, 9), span(2, 8)]).map((list) => list.length),
    [3, 2, 2],
  );
}

export function test_columns_that_say_nothing_are_left_out() {
  same(spansOf({ start: [1], end: [2] }), [span(1, 2, -1)]);
  same(spansOf(null), []);
}

export function test_what_lies_at_a_place() {
  const items = [span(0, 2), span(1, 2), span(4, 6)];
  same(placed(items, (one) => one, 1, 2), [items[1]]);
  same(placed(items, (one) => one, 5, 5), [items[2]]);
}

export function test_neighbouring_colours_differ() {
  for (let index = 0; index < 50; index += 1) {
    const apart = Math.abs(hue(index) - hue(index + 1));
    if (Math.min(apart, 360 - apart) < 60) throw new Error(`colours ${index} and ${index + 1} are alike`);
  }
}

/** @param {number} words @param {number} mentions */
export function large(words, mentions) {
  const step = Math.floor(words / mentions);
  const spans = Array.from({ length: mentions }, (_, place) => span(place * step, place * step + 1 + (place % 3), place % 400));
  return {
    source: fromWords(Array.from({ length: words }, (_, place) => `word${place % 977}`)),
    sentences: sentencesOf(words, Array.from({ length: Math.ceil(words / 20) }, (_, place) => place * 20), []),
    sides: [{ name: "Key", spans }, { name: "System", spans }],
    labels: [],
  };
}

export function test_a_large_text_is_whole() {
  const sheet = new TextSheet(large(10_000, 2_000), () => {});
  document.body.append(sheet.element);
  same(sheet.element.querySelectorAll(".text").length, 1_000);
  same(new Set(sheet.inOrder().map((mark) => mark.span)).size, 2_000);
  if (sheet.element.querySelectorAll("*").length > 2 * 2_000 * 1.2 + 3_000) throw new Error("an element per word");
  sheet.light(sheet.inOrder()[0]);
  same(sheet.lit.length, sheet.element.querySelectorAll(".lit").length);
  sheet.show(0, 1);
  same(sheet.element.querySelectorAll(".here").length, 1);
  sheet.element.remove();
}

/** How long the largest text takes, in milliseconds: what `make bench` prints. */
export function measured() {
  const model = large(100_000, 20_000);
  const begun = performance.now();
  const sheet = new TextSheet(model, () => {});
  document.body.append(sheet.element);
  sheet.element.getBoundingClientRect();
  const drawn = performance.now();
  sheet.light(sheet.inOrder()[0]);
  sheet.element.getBoundingClientRect();
  const lit = performance.now();
  sheet.element.remove();
  return { draw: drawn - begun, light: lit - drawn };
}
