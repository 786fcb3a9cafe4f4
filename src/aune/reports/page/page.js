// The report's behaviour. Plain JavaScript, no library, no request: every view is drawn from the data in the page.
// Text only ever enters the page as text nodes and attributes, never as markup.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const S = JSON.parse(byId("summary").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const VOID = "∅";

  // Elements

  function fill(node, props, kids) {
    for (const [name, value] of Object.entries(props || {})) {
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "style") for (const [key, part] of Object.entries(value)) node.style.setProperty(key, part);
      else node.setAttribute(name, value === true ? "" : value);
    }
    for (const kid of kids.flat(4)) if (kid !== null && kid !== undefined && kid !== false) node.append(kid);
    return node;
  }
  const h = (tag, props, ...kids) => fill(document.createElement(tag), props, kids);
  const s = (tag, props, ...kids) => fill(document.createElementNS(SVG, tag), props, kids);
  const put = (root, ...kids) =>
    root.replaceChildren(...kids.flat(4).filter((kid) => kid !== null && kid !== undefined && kid !== false));
  const option = (value, text, chosen) => h("option", { value, selected: value === chosen }, text);

  function picker(label, values, chosen, change) {
    const choices = values.map((one) => (Array.isArray(one) ? one : [one, one]));
    return h(
      "label",
      null,
      label,
      h(
        "select",
        { onchange: (event) => change(event.target.value) },
        choices.map(([value, text]) => option(value, text, chosen)),
      ),
    );
  }

  // Numbers

  const measureOf = (name) => S.measures.find((one) => one.name === name);
  function shown(value, measure, digits = 2) {
    if (value === null || value === undefined) return "–";
    const text = measure.percent ? (100 * value).toFixed(digits) : value.toFixed(digits + 2);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  }
  const betterOf = (measure, value) => measure.better[value] || "higher";
  const goodness = (value, better) =>
    value === null || value === undefined
      ? -Infinity
      : better === "higher"
        ? value
        : better === "lower"
          ? -value
          : -Math.abs(value);
  const scoreOf = (measure, system, value) => ((S.scores[measure.name] || {})[system] || {})[value] ?? null;
  const intervalOf = (measure, system, value) => ((S.intervals[measure.name] || {})[system] || {})[value] || null;
  const named = (measure, value) => (measure.short === value ? value : `${measure.short} ${value}`);
  const arrow = { higher: "higher is better", lower: "lower is better", zero: "nearer to 0 is better" };

  // Data that is unpacked when it is asked for

  const unpacked = new Map();
  function block(id) {
    if (!unpacked.has(id)) unpacked.set(id, unpack(byId(id)));
    return unpacked.get(id);
  }
  async function unpack(element) {
    const text = element.textContent;
    if (element.type === "application/json") return JSON.parse(text);
    if (typeof DecompressionStream === "undefined")
      throw new Error(
        "this browser cannot unpack the texts: use one from 2023 or later, or make the report with --plain",
      );
    const bytes = Uint8Array.from(atob(text.trim()), (one) => one.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  }
  async function documentOf(name) {
    const place = S.blocks[S.documents.indexOf(name)];
    if (!place) return null;
    return (await block(`texts-${place[0]}`))[place[1]];
  }
  const casesOf = async (system) => {
    const index = S.systems.indexOf(system);
    if (!byId(`cases-${index}`)) return [];
    const packed = await block(`cases-${index}`);
    if (!packed.list)
      packed.list = packed.document.map((document, row) => {
        const attributes = {};
        for (const [name, column] of Object.entries(packed.attributes))
          if (column[row] !== null) attributes[name] = column[row];
        return {
          document: S.documents[document],
          start: packed.start[row],
          end: packed.end[row],
          kind: packed.kinds[packed.kind[row]],
          key: packed.key[row],
          response: packed.response[row],
          context: packed.context[row],
          cost: packed.cost[row],
          attributes,
        };
      });
    return packed.list;
  };

  // The address says what is shown: #view?name=value

  const sectionOf = (view) => byId(`view-${view}`);
  const VIEWS = ["ranking", "text", "confusions", "errors", "documents", "figures"];
  function route() {
    const [view, query] = location.hash.slice(1).split("?");
    return {
      view: VIEWS.includes(view) && sectionOf(view) ? view : "ranking",
      params: new URLSearchParams(query || ""),
    };
  }
  function address(view, params) {
    const kept = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");
    return `#${view}?${new URLSearchParams(kept)}`;
  }
  const go = (view, params) => {
    location.hash = address(view, params);
  };
  const change = (changes) => {
    const { view, params } = route();
    go(view, { ...Object.fromEntries(params), ...changes });
  };

  // Copying tables

  function toast(text) {
    const note = byId("toast");
    note.textContent = text;
    note.hidden = false;
    clearTimeout(toast.timer);
    toast.timer = setTimeout(() => {
      note.hidden = true;
    }, 2200);
  }
  async function copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = h("textarea", { style: { position: "fixed", opacity: "0" } });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    toast(`Copied as ${what}`);
  }
  const csvCell = (text) => (/[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const markdownCell = (text) =>
    text
      .replace(/\\/g, "\\\\")
      .replace(/\|/g, "\\|")
      .replace(/[\r\n]+/g, " ")
      .replace(/</g, "&lt;");
  const LATEX = {
    "\\": "\\textbackslash{}",
    "&": "\\&",
    "%": "\\%",
    $: "\\$",
    "#": "\\#",
    _: "\\_",
    "{": "\\{",
    "}": "\\}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "−": "$-$",
    "–": "--",
    "∅": "$\\emptyset$",
    "|": "\\textbar{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "×": "$\\times$",
  };
  const latexCell = (text) => Array.from(text, (one) => LATEX[one] || one).join("");
  const FORMATS = {
    CSV: ({ header, rows }) =>
      [header, ...rows].map((row) => row.map((cell) => csvCell(cell.text)).join(",")).join("\n") + "\n",
    Markdown: ({ header, rows, names }) => {
      const line = (cells) => `| ${cells.join(" | ")} |`;
      return (
        [
          line(header.map((cell) => markdownCell(cell.text))),
          line(header.map((_, i) => (i < names ? "---" : "---:"))),
          ...rows.map((row) =>
            line(row.map((cell) => (cell.best ? `**${markdownCell(cell.text)}**` : markdownCell(cell.text)))),
          ),
        ].join("\n") + "\n"
      );
    },
    LaTeX: ({ header, rows, names, notes }) => {
      const tex = (cell) => {
        let text = latexCell(cell.value ?? cell.text);
        if (cell.best) text = `\\textbf{${text}}`;
        if (cell.marks) text += `\\textsuperscript{${latexCell(cell.marks)}}`;
        if (cell.range) text += ` {\\scriptsize ${latexCell(cell.range)}}`;
        return text;
      };
      return (
        [
          "% \\usepackage{booktabs}",
          `\\begin{tabular}{${"l".repeat(names)}${"r".repeat(header.length - names)}}`,
          "\\toprule",
          `${header.map(tex).join(" & ")} \\\\`,
          "\\midrule",
          ...rows.map((row) => `${row.map(tex).join(" & ")} \\\\`),
          "\\bottomrule",
          "\\end{tabular}",
          ...(notes || []).map((note) => `% ${note}`),
        ].join("\n") + "\n"
      );
    },
  };
  const copies = (table) =>
    h(
      "div",
      { class: "copies" },
      "Copy as",
      Object.entries(FORMATS).map(([name, write]) =>
        h("button", { class: "quiet", type: "button", onclick: () => copy(write(table()), name) }, name),
      ),
    );
  const cells = (texts) => texts.map((text) => ({ text: String(text) }));

  // 1. Ranking

  function chosenMeasure(params) {
    const [name, value] = (params.get("measure") || "").split(" ");
    const measure = measureOf(name) || measureOf(S.main) || S.measures[0];
    return [measure, measure.values.includes(value) ? value : measure.headline];
  }
  const measureChoices = (only) =>
    S.measures.flatMap((one) =>
      (only ? [one.headline] : one.values).map((value) => [`${one.name} ${value}`, named(one, value)]),
    );

  function ranking(root, params) {
    const [measure, value] = chosenMeasure(params);
    const better = betterOf(measure, value);
    const order = S.orders[`${measure.name} ${value}`];
    const ranks = Object.fromEntries(order ? order.ranks.map((one) => [one.system, one]) : []);
    const systems = [...S.systems].sort(
      (a, b) => goodness(scoreOf(measure, b, value), better) - goodness(scoreOf(measure, a, value), better),
    );
    const letters = groupLetters(order);
    const place = (system) =>
      ranks[system]
        ? ranks[system].rank
        : 1 +
          systems.filter(
            (other) =>
              goodness(scoreOf(measure, other, value), better) > goodness(scoreOf(measure, system, value), better),
          ).length;
    const scale = whiskers(systems, measure, value);
    const best = Object.fromEntries(
      S.measures.map((one) => [
        one.name,
        Math.max(
          ...S.systems.map((system) => goodness(scoreOf(one, system, one.headline), betterOf(one, one.headline))),
        ),
      ]),
    );
    const isBest = (one, system) =>
      S.systems.length > 1 &&
      goodness(scoreOf(one, system, one.headline), betterOf(one, one.headline)) === best[one.name];
    const open = (one, system) => address("documents", { measure: `${one.name} ${one.headline}`, a: system });
    const head = h(
      "tr",
      null,
      h("th", { scope: "col", class: "number" }, "Rank"),
      h("th", { scope: "col" }, "System"),
      h(
        "th",
        { scope: "col", class: "number", "aria-sort": better === "lower" ? "ascending" : "descending" },
        h("span", { class: "quiet" }, named(measure, value)),
      ),
      h("th", { scope: "col" }, scale.caption),
      order && systems.length > 1 && h("th", { scope: "col" }, "Group"),
      S.measures.map((one) =>
        h(
          "th",
          { scope: "col", class: `number${one === measure ? " chosen" : ""}` },
          h(
            "button",
            {
              class: "quiet",
              type: "button",
              title: `Rank by ${one.short} ${one.headline}: ${arrow[betterOf(one, one.headline)]}`,
              onclick: () => change({ measure: `${one.name} ${one.headline}` }),
            },
            one.short === one.headline ? one.short : [`${one.short} `, h("br"), one.headline],
          ),
        ),
      ),
    );
    const rows = systems.map((system) => {
      const range = ranks[system];
      const interval = intervalOf(measure, system, value);
      return h(
        "tr",
        null,
        h(
          "td",
          { class: "number" },
          place(system),
          range &&
            range.best !== range.worst &&
            h(
              "span",
              { class: "soft small", title: "places that the tests leave open" },
              ` (${range.best}–${range.worst})`,
            ),
        ),
        h(
          "th",
          { scope: "row" },
          S.listed
            ? h(
                "a",
                { class: "plain", href: address("errors", { system }), title: "the errors of this system" },
                h("bdi", null, system),
              )
            : h("bdi", null, system),
        ),
        h(
          "td",
          { class: "number" },
          h(
            "a",
            { class: "plain", href: open(measure, system) },
            h("strong", null, shown(scoreOf(measure, system, value), measure)),
          ),
          interval &&
            h("span", { class: "soft small" }, ` [${shown(interval[0], measure)}, ${shown(interval[1], measure)}]`),
        ),
        h("td", null, scale.draw(system)),
        order && systems.length > 1 && h("td", { class: "letters" }, letters[system] || ""),
        S.measures.map((one) =>
          h(
            "td",
            { class: `number${one === measure ? " chosen" : ""}${isBest(one, system) ? " best" : ""}` },
            h(
              "a",
              { class: "plain", href: open(one, system), title: `documents of ${system} by ${one.short}` },
              shown(scoreOf(one, system, one.headline), one),
            ),
          ),
        ),
      );
    });
    const table = () => ({
      names: 2,
      notes: S.signatures,
      header: cells([
        "Rank",
        "System",
        named(measure, value),
        ...(order && systems.length > 1 ? ["Group"] : []),
        ...S.measures.filter((one) => one !== measure).map((one) => named(one, one.headline)),
      ]),
      rows: systems.map((system) => {
        const interval = intervalOf(measure, system, value);
        const text = shown(scoreOf(measure, system, value), measure);
        const range = interval ? `[${shown(interval[0], measure)}, ${shown(interval[1], measure)}]` : "";
        return [
          { text: String(place(system)) },
          { text: system },
          {
            text: range ? `${text} ${range}` : text,
            value: text,
            range,
            best: place(system) === 1 && systems.length > 1,
            marks: letters[system],
          },
          ...(order && systems.length > 1 ? [{ text: letters[system] || "" }] : []),
          ...S.measures
            .filter((one) => one !== measure)
            .map((one) => ({ text: shown(scoreOf(one, system, one.headline), one), best: isBest(one, system) })),
        ];
      }),
    });
    put(
      root,
      h(
        "div",
        { class: "row" },
        h(
          "div",
          { class: "controls" },
          picker("Rank by", measureChoices(), `${measure.name} ${value}`, (one) => change({ measure: one })),
        ),
        copies(table),
      ),
      h(
        "div",
        { class: "scroll" },
        h(
          "table",
          { class: `ranking${systems.every((one) => one.length < 26) ? " short" : ""}` },
          h("thead", null, head),
          h("tbody", null, rows),
        ),
      ),
      h(
        "p",
        { class: "soft small" },
        `${measure.percent ? "Values × 100; " : ""}${arrow[better]}. `,
        S.test &&
          `Intervals at ${100 * S.test.level} %. Systems that share a letter cannot be told apart (${S.test.test} test over ${S.test.units} ${S.test.unit}s, Holm's correction). `,
        "A value leads to its documents, a system to its errors.",
      ),
      differences(measure, value, systems),
    );
  }

  function groupLetters(order) {
    const found = {};
    if (order)
      order.groups.forEach((group, index) =>
        group.forEach((system) => {
          found[system] = (found[system] || "") + (index < 26 ? String.fromCharCode(97 + index) : `,${index + 1}`);
        }),
      );
    return found;
  }

  function whiskers(systems, measure, value) {
    const all = systems
      .flatMap((system) => [scoreOf(measure, system, value), ...(intervalOf(measure, system, value) || [])])
      .filter((one) => one !== null && Number.isFinite(one));
    let low = Math.min(...all),
      high = Math.max(...all);
    if (!all.length) {
      low = 0;
      high = 1;
    }
    const room = (high - low || Math.abs(high) || 1) * 0.06;
    low -= room;
    high += room;
    const at = (one) => `${((100 * (one - low)) / (high - low)).toFixed(2)}%`;
    const draw = (system) => {
      const score = scoreOf(measure, system, value),
        interval = intervalOf(measure, system, value);
      if (score === null) return "–";
      return s(
        "svg",
        { class: "whisker", "aria-hidden": "true" },
        s("line", { class: "axis", x1: "0", x2: "100%", y1: "50%", y2: "50%" }),
        interval && s("line", { class: "ci", x1: at(interval[0]), x2: at(interval[1]), y1: "50%", y2: "50%" }),
        s("circle", { class: "dot", cx: at(score), cy: "50%", r: 4.5 }),
      );
    };
    const row = h(
      "span",
      { class: "row", "aria-hidden": "true", style: { "flex-wrap": "nowrap" } },
      h("span", null, shown(low, measure, 0)),
      h("span", null, shown(high, measure, 0)),
    );
    return { draw, caption: row };
  }

  function differences(measure, value, systems) {
    const pairs = S.pairs.filter((one) => one.measure === measure.name && one.value === value);
    if (!pairs.length || systems.length < 2) return null;
    const find = (a, b) => {
      const pair = pairs.find((one) => (one.a === a && one.b === b) || (one.a === b && one.b === a));
      return (
        pair && {
          difference: pair.difference === null ? null : pair.a === a ? pair.difference : -pair.difference,
          p: pair.p_holm,
        }
      );
    };
    const sign = (number) => (number > 0 ? "+" : "") + shown(number, measure);
    const body = systems.map((row) =>
      h(
        "tr",
        null,
        h("th", { scope: "row" }, h("bdi", null, row)),
        systems.map((column) => {
          if (row === column) return h("td", { class: "number soft" }, "·");
          const pair = find(row, column);
          if (!pair || pair.difference === null) return h("td", { class: "number soft" }, "–");
          const sure = pair.p !== null && pair.p <= 1 - S.test.level + 1e-12;
          const p = pair.p === null ? "no test" : `p = ${pair.p < 0.001 ? "<0.001" : pair.p.toFixed(3)}`;
          return h(
            "td",
            { class: "number" },
            h(
              "a",
              {
                class: `plain${sure ? " sure" : ""}`,
                title: p,
                href: address("errors", { system: row, versus: column }),
              },
              sign(pair.difference),
              sure ? " ★" : "",
            ),
          );
        }),
      ),
    );
    const table = () => ({
      names: 1,
      header: cells(["", ...systems]),
      rows: systems.map((row) =>
        cells([
          row,
          ...systems.map((column) => {
            const pair = row === column ? null : find(row, column);
            return !pair || pair.difference === null
              ? ""
              : sign(pair.difference) + (pair.p !== null && pair.p <= 1 - S.test.level ? "*" : "");
          }),
        ]),
      ),
    });
    return h(
      "div",
      { style: { display: "grid", gap: "0.6rem", "min-width": "0" } },
      h("div", { class: "row" }, h("h2", null, "Which differences are sure"), copies(table)),
      h(
        "div",
        { class: "scroll" },
        h(
          "table",
          null,
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              h("td", null, h("span", { class: "soft small" }, "row − column")),
              systems.map((one) => h("th", { scope: "col", class: "number" }, h("bdi", null, one))),
            ),
          ),
          h("tbody", null, body),
        ),
      ),
      h(
        "p",
        { class: "soft small" },
        "★ the test tells the two apart. A difference leads to what one system fixed and broke.",
      ),
    );
  }

  // 2. Text

  const hue = (index) => Math.round((index * 137.508 + 205) % 360);
  const labelHue = (label) => hue(Math.max(0, S.labels.indexOf(label)));

  async function text(root, params) {
    const name = S.documents.includes(params.get("doc")) ? params.get("doc") : S.documents[0];
    const first = S.systems.includes(params.get("system")) ? params.get("system") : S.systems[0];
    const systems = [first, ...S.systems.filter((one) => one === params.get("versus") && one !== first)];
    const index = S.documents.indexOf(name);
    const step = (by) =>
      change({ doc: S.documents[(index + by + S.documents.length) % S.documents.length], at: "", in: "" });
    const controls = h(
      "div",
      { class: "controls" },
      picker("Document", S.documents, name, (one) => change({ doc: one, at: "", in: "" })),
      h(
        "span",
        null,
        h("button", { type: "button", class: "icon", "aria-label": "previous document", onclick: () => step(-1) }, "‹"),
        " ",
        h("button", { type: "button", class: "icon", "aria-label": "next document", onclick: () => step(1) }, "›"),
      ),
      picker("System", S.systems, systems[0], (one) => change({ system: one })),
      S.systems.length > 1 &&
        picker("beside", [["", "none"], ...S.systems.filter((one) => one !== systems[0])], systems[1] || "", (one) =>
          change({ versus: one }),
        ),
      S.listed &&
        h(
          "a",
          { href: address("errors", { system: systems[0], "f.document": name }), class: "small" },
          "errors in this document",
        ),
    );
    const found = await documentOf(name);
    if (!found) {
      put(root, controls, h("p", { class: "empty" }, "There is no text to show for this task."));
      return;
    }
    const scores = [S.measures.find((one) => one.name === S.main) || S.measures[0]].map((measure) =>
      systems
        .map((system) => {
          const value = ((S.byDocument[measure.name] || {})[system] || [])[index];
          return value === undefined ? null : `${system}: ${named(measure, measure.headline)} ${shown(value, measure)}`;
        })
        .filter(Boolean)
        .join(" · "),
    )[0];
    const reader = h("div", { class: "reader" });
    const state = readerState(found, systems);
    const sheet = state.aligned ? alignedSheet(state) : spanSheet(state);
    reader.append(sheet);
    put(
      root,
      controls,
      h("div", { class: "row" }, h("h2", null, h("bdi", null, name)), h("span", { class: "soft" }, scores)),
      legend(state),
      reader,
    );
    arm(reader, sheet, state, params);
  }

  function readerState(found, systems) {
    const spans = (rows) =>
      (rows || []).map(([start, end, group, label, twin, error, minor]) => ({
        start,
        end,
        group,
        label,
        twin,
        error,
        minor,
      }));
    const key = spans(found.k);
    for (const [place, error] of (found.r[S.systems.indexOf(systems[0])] || {}).k || []) key[place].error = error;
    const layers = systems.map((system) => {
      const layer = found.r[S.systems.indexOf(system)] || {};
      const words = layer.w || found.w,
        tags = layer.g || found.g;
      const columns = (layer.c || []).map((sentence) =>
        sentence.flatMap(([start, end, given, marks, error]) =>
          given === undefined
            ? Array.from({ length: end - start }, (_, place) => ({
                start: start + place,
                end: start + place + 1,
                words: [words[start + place]],
                tags: tags.slice(start + place, start + place + 1),
                error: "",
              }))
            : [{ start, end, words: given, tags: marks, error }],
        ),
      );
      return { system, spans: spans(layer.s), columns, words, tags };
    });
    const sizes = new Map();
    for (const one of key) if (one.group >= 0) sizes.set(one.group, (sizes.get(one.group) || 0) + 1);
    const ordered = [...sizes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([group]) => group);
    const ranks = new Map(ordered.map((group, index) => [group, index]));
    const starts = found.s.length ? found.s : [0];
    const sentences = starts.flatMap((start, index) =>
      pieces(start, index + 1 < starts.length ? starts[index + 1] : found.w.length, index, found.n[index] || ""),
    );
    return {
      words: found.w,
      tags: found.g,
      places: found.p || [],
      sentences,
      key,
      layers,
      sizes,
      ranks,
      chains: key.some((one) => one.group >= 0) || layers.some((layer) => layer.spans.some((one) => one.group >= 0)),
      aligned: layers.some((layer) => layer.columns.length),
    };
  }

  // A text without sentences is cut all the same: nobody reads ten thousand words in one line.
  const LONG = 400,
    PIECE = 200;
  function pieces(start, end, number, name) {
    if (end - start <= LONG) return [{ start, end, number, name, first: true, last: true }];
    const found = [];
    for (let at = start; at < end; at += PIECE)
      found.push({
        start: at,
        end: Math.min(at + PIECE, end),
        number,
        name: at === start ? name : "",
        first: at === start,
        last: at + PIECE >= end,
      });
    return found;
  }

  // Sentences of a long text are drawn when they come near the window (all of them before printing).
  const AT_ONCE = 6000;
  function sentences(state, sides, draw) {
    const rows = state.sentences.map((sentence) => {
      const row = h("div", { class: "sentence", "data-from": sentence.start, "data-to": sentence.end });
      row.fill = () => {
        row.fill = () => {};
        row.style.removeProperty("min-height");
        put(
          row,
          h("span", { class: "gutter" }, sentence.first ? sentence.number + 1 : ""),
          sentence.name && h("span", { class: "name" }, h("bdi", null, sentence.name)),
          draw(sentence),
        );
      };
      return row;
    });
    if (state.words.length <= AT_ONCE) rows.forEach((row) => row.fill());
    else {
      const watch = new IntersectionObserver(
        (seen) =>
          seen
            .filter((one) => one.isIntersecting)
            .forEach((one) => {
              watch.unobserve(one.target);
              one.target.fill();
            }),
        { rootMargin: "1200px" },
      );
      state.sentences.forEach((sentence, index) => {
        rows[index].style.setProperty("min-height", `${2 + (sentence.end - sentence.start) / 5}rem`);
        watch.observe(rows[index]);
      });
    }
    return rows;
  }
  addEventListener("beforeprint", () => document.querySelectorAll(".sentence").forEach((row) => row.fill?.()));

  function legend(state) {
    const sample = (label, props, sub) =>
      h(
        "span",
        null,
        h("span", { class: `m ${props}`, style: { "--h": hue(0) } }, "word", sub && h("sub", null, sub)),
        ` ${label}`,
      );
    if (state.aligned) {
      const found = new Set(
        state.layers.flatMap((layer) => layer.columns.flatMap((sentence) => sentence.map((one) => one.error))),
      );
      const signs = [...found]
        .filter(Boolean)
        .sort()
        .map((kind) => h("span", null, h("b", null, MARKS[kind] || "!"), ` ${kind}`));
      return h(
        "div",
        { class: "legend" },
        signs,
        h("span", null, `${VOID} nothing on this side`),
        h("span", null, "key above, response below"),
      );
    }
    if (state.chains)
      return h(
        "div",
        { class: "legend" },
        sample("colour: the key's chain, on both sides; number: the chain on that side", "", "1"),
        sample("wrong or missed", "wrong"),
        sample("not in the key", "none"),
        h("span", null, "Click a mention, or use ← → and Enter, to see its chain."),
      );
    return h(
      "div",
      { class: "legend" },
      sample("as in the key", "", "type"),
      sample("wrong or missed", "wrong", "type"),
      sample("not in the key", "none", "type"),
      [...state.key, ...state.layers.flatMap((layer) => layer.spans)].some((one) => one.minor) &&
        sample("component", "minor", "type"),
    );
  }

  // Words with marks in them; marks may nest, and one that crosses another is cut where the other ends.
  function marked(words, from, to, spans, make) {
    const pieces = spans
      .filter((one) => one.start < to && one.end > from)
      .map((one) => ({ span: one, a: Math.max(one.start, from), b: Math.min(one.end, to) }))
      .filter((one) => one.a < one.b);
    const byPlace = (x, y) => x.a - y.a || y.b - x.b;
    const build = (a, b, list) => {
      const nodes = [];
      let at = a,
        depth = 0,
        queue = [...list].sort(byPlace);
      const plain = (end) => {
        if (at < end) nodes.push(document.createTextNode((nodes.length ? " " : "") + words.slice(at, end).join(" ")));
      };
      while (queue.length) {
        const [first, ...others] = queue;
        plain(first.a);
        if (nodes.length) nodes.push(" ");
        const inner = [],
          rest = [];
        for (const other of others) {
          if (other.a >= first.b) rest.push(other);
          else {
            inner.push({ ...other, b: Math.min(other.b, first.b) });
            if (other.b > first.b) rest.push({ ...other, a: first.b });
          }
        }
        const inside = build(first.a, first.b, inner);
        nodes.push(make(first.span, inside.nodes, inside.depth, first.b === Math.min(first.span.end, to)));
        depth = Math.max(depth, inside.depth + 1);
        at = first.b;
        queue = rest.sort(byPlace);
      }
      plain(b);
      return { nodes, depth };
    };
    return build(from, to, pieces).nodes;
  }

  function mention(state, side, span, inside, depth, last) {
    const chained = span.group >= 0;
    const colour = chained
      ? span.twin >= 0 && state.ranks.has(span.twin)
        ? hue(state.ranks.get(span.twin))
        : 0
      : labelHue(span.label);
    const unknown = side > 0 && span.twin < 0 && span.error !== "";
    const single = chained && span.twin >= 0 && (state.sizes.get(span.twin) || 0) < 2;
    const classes = ["m", span.error && (unknown ? "none" : "wrong"), single && "single", span.minor && "minor"]
      .filter(Boolean)
      .join(" ");
    const what = chained
      ? `chain ${span.group + 1}${span.error ? `: ${span.error}` : ""}`
      : `${span.label}${span.error ? `: ${span.error}` : ""}`;
    return h(
      "span",
      {
        class: classes,
        role: "button",
        tabindex: "-1",
        title: what,
        "aria-label": `${state.words.slice(span.start, span.end).join(" ")}, ${what}`,
        "data-side": side,
        "data-group": span.group,
        "data-twin": span.twin,
        "data-label": span.label,
        "data-start": span.start,
        "data-end": span.end,
        style: { "--h": colour, "--inside": depth },
      },
      inside,
      last && h("sub", { "aria-hidden": "true" }, chained ? span.group + 1 : span.label),
    );
  }

  function spanSheet(state) {
    const sides = [
      { name: "Key", spans: state.key },
      ...state.layers.map((layer) => ({ name: layer.system, spans: layer.spans })),
    ];
    return h(
      "div",
      { class: "sheet", style: { "--sides": sides.length } },
      h(
        "div",
        { class: "sides" },
        h("span"),
        sides.map((side) => h("span", null, h("strong", null, h("bdi", null, side.name)))),
      ),
      sentences(state, sides, (sentence) =>
        sides.map((side, index) =>
          h(
            "div",
            { class: "text", dir: "auto", "data-side": side.name },
            marked(state.words, sentence.start, sentence.end, side.spans, (...piece) =>
              mention(state, index, ...piece),
            ),
          ),
        ),
      ),
    );
  }

  const MARKS = { substitution: "S", deletion: "D", insertion: "I" };
  function alignedSheet(state) {
    const inside = (sentence) => (column) =>
      (sentence.first || column.start >= sentence.start) && (sentence.last || column.start < sentence.end);
    return h(
      "div",
      { class: "sheet", style: { "--sides": 1 } },
      sentences(state, state.layers, (sentence) =>
        state.layers.map((layer) => [
          state.layers.length > 1 && h("span", { class: "name" }, h("bdi", null, layer.system)),
          h(
            "div",
            { class: "aligned", dir: "auto" },
            (layer.columns[sentence.number] || [])
              .filter(inside(sentence))
              .map((column) => pair(layer, column, state.key)),
          ),
        ]),
      ),
    );
  }
  function pair(layer, column, spans) {
    const words = layer.words.slice(column.start, column.end),
      tags = layer.tags.length ? layer.tags.slice(column.start, column.end) : [];
    const cover = spans.find((one) => one.start <= column.start && one.end > column.start && column.end > column.start);
    const cell = (kind, list) =>
      h("span", { class: kind + (list.length ? "" : " void") }, list.length ? h("bdi", null, list.join(" ")) : VOID);
    const tagged = tags.length > 0 || column.tags.length > 0;
    return h(
      "div",
      {
        class: `pair${column.error ? " bad" : ""}${cover ? " in" : ""}${cover && cover.start === column.start ? " first" : ""}`,
        title: column.error || null,
        "data-start": column.start,
        "data-end": column.end,
        style: cover ? { "--h": labelHue(cover.label) } : null,
      },
      spans.length ? h("span", { class: "span" }, cover && cover.start === column.start ? cover.label : "") : null,
      cell("", words),
      tagged && cell("tag", tags),
      cell("other", column.words),
      tagged && cell("tag other", column.tags),
      h("span", { class: "mark" }, column.error ? MARKS[column.error] || "!" : ""),
    );
  }

  // Mentions answer to the mouse and the keyboard; the one in the address is shown.
  function arm(reader, sheet, state, params) {
    const all = () => [...sheet.querySelectorAll(".m")];
    if (all().length) all()[0].tabIndex = 0;
    const light = (target) => {
      const { twin, group, side, label } = target.dataset;
      for (const one of all())
        one.classList.toggle(
          "lit",
          group < 0
            ? one.dataset.label === label
            : twin >= 0
              ? one.dataset.twin === twin
              : one.dataset.side === side && one.dataset.group === group,
        );
    };
    sheet.addEventListener("mouseover", (event) => {
      const target = event.target.closest(".m");
      if (target) light(target);
    });
    sheet.addEventListener("mouseleave", () => all().forEach((one) => one.classList.remove("lit")));
    sheet.addEventListener("focusin", (event) => {
      const target = event.target.closest(".m");
      if (target) light(target);
    });
    const open = (target) =>
      chainPanel(reader, sheet, state, Number(target.dataset.side), Number(target.dataset.group), target.dataset.label);
    sheet.addEventListener("click", (event) => {
      const target = event.target.closest(".m");
      if (target) open(target);
    });
    sheet.addEventListener("keydown", (event) => {
      const mentions = all(),
        place = mentions.indexOf(event.target.closest(".m"));
      if (place < 0) return;
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        open(mentions[place]);
      }
      const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (move) {
        event.preventDefault();
        const next = mentions[(place + move + mentions.length) % mentions.length];
        mentions[place].tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
      }
    });
    if (params.get("at")) show(sheet, inWords(state, params.get("at"), params.get("in")));
  }

  // A place as the list of errors has it, in words of the document: it may count characters, or words of an utterance.
  function inWords(state, at, name) {
    let [start, end] = at.split("-").map(Number);
    if (state.places.length) {
      const word = (place) =>
        Math.max(
          0,
          state.places.findLastIndex((one) => one <= place),
        );
      [start, end] = [word(start), word(Math.max(start, end - 1)) + 1];
    }
    const sentence = name && state.sentences.find((one) => one.name === name);
    return sentence ? `${sentence.start + start}-${sentence.start + end}` : `${start}-${end}`;
  }

  function show(sheet, at) {
    const [start, end] = at.split("-").map(Number);
    const sentence = [...sheet.querySelectorAll(".sentence")].find(
      (one) =>
        Number(one.dataset.from) <= start && start < Math.max(Number(one.dataset.to), Number(one.dataset.from) + 1),
    );
    sentence?.fill();
    for (const one of sheet.querySelectorAll(".target, .here")) one.classList.remove("target", "here");
    const marks = [...sheet.querySelectorAll("[data-start]")];
    const exact = marks.filter((one) => Number(one.dataset.start) === start && Number(one.dataset.end) === end);
    const near = exact.length
      ? exact
      : marks.filter((one) => Number(one.dataset.start) < Math.max(end, start + 1) && Number(one.dataset.end) > start);
    near.forEach((one) => one.classList.add("target"));
    if (sentence) {
      sentence.classList.add("here");
      sentence.scrollIntoView({ block: "center" });
    }
  }

  function chainPanel(reader, sheet, state, side, group, label) {
    reader.querySelector(".aside")?.remove();
    const close = () => {
      panel.remove();
      reader.classList.remove("open");
    };
    const spans = side === 0 ? state.key : state.layers[side - 1].spans;
    const mine = spans.filter((one) => (group >= 0 ? one.group === group : one.label === label));
    const whose = side === 0 ? "Key" : state.layers[side - 1].system;
    const others = side === 0 ? state.layers : [{ system: "Key", spans: state.key }];
    const textOf = (one) => state.words.slice(one.start, one.end).join(" ");
    const counterpart = (one) => {
      if (side > 0) return one.twin >= 0 ? [`key ${one.twin + 1}`, false] : ["not in the key", true];
      const same = state.layers[0].spans.find((other) => other.start === one.start && other.end === one.end);
      return same ? [`${state.layers[0].system} ${same.group + 1}`, false] : [one.error || "missed", true];
    };
    const note = (one) => (group >= 0 ? counterpart(one) : [one.error, Boolean(one.error)]);
    const jump = (event, one) => {
      event.preventDefault();
      show(sheet, `${one.start}-${one.end}`);
    };
    const panel = h(
      "aside",
      { class: "panel aside", "aria-label": "chain" },
      h(
        "div",
        { class: "row" },
        h("h3", null, h("bdi", null, whose), group >= 0 ? ` chain ${group + 1}` : ` ${label}`),
        h("button", { class: "quiet", type: "button", "aria-label": "close", onclick: close }, "✕"),
      ),
      h(
        "p",
        { class: "soft small" },
        `${mine.length} ${group >= 0 ? "mention" : "span"}${mine.length === 1 ? "" : "s"}`,
      ),
      group >= 0 && minimap(state, side, group, mine, others, sheet),
      h(
        "ol",
        null,
        mine.map((one) => {
          const [text, bad] = note(one);
          return h(
            "li",
            null,
            h(
              "a",
              { href: "#", onclick: (event) => jump(event, one) },
              h("span", null, h("bdi", null, textOf(one))),
              h("span", { class: bad ? "bad" : "" }, h("bdi", null, text)),
            ),
          );
        }),
      ),
    );
    reader.append(panel);
    reader.classList.add("open");
    panel.querySelector("button").focus({ preventScroll: true });
    panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close();
    });
    for (const one of sheet.querySelectorAll(".m"))
      one.classList.toggle(
        "lit",
        Number(one.dataset.side) === side &&
          (group >= 0 ? Number(one.dataset.group) === group : one.dataset.label === label),
      );
  }

  // The document as a line, a tick per mention: the chain, then each chain of the other side that shares mentions with it.
  function minimap(state, side, group, mine, others, sheet) {
    const total = Math.max(state.words.length, 1),
      width = 300,
      rows = [[side === 0 ? "key" : "this chain", mine]];
    const places = new Set(mine.map((one) => `${one.start}-${one.end}`));
    for (const other of others) {
      const touched = new Set(
        side === 0
          ? other.spans.filter((one) => one.twin === group).map((one) => one.group)
          : mine.map((one) => one.twin).filter((one) => one >= 0),
      );
      for (const chain of [...touched].slice(0, 7))
        rows.push([
          `${others.length > 1 || side > 0 ? `${other.system} ` : ""}${chain + 1}`,
          other.spans.filter((one) => one.group === chain),
        ]);
    }
    const tint = (one) =>
      one.twin >= 0 && state.ranks.has(one.twin)
        ? `hsl(${hue(state.ranks.get(one.twin))} 55% var(--line-l))`
        : "var(--bad)";
    return s(
      "svg",
      {
        class: "map",
        viewBox: `0 0 ${width} ${rows.length * 17}`,
        role: "img",
        "aria-label": "where the mentions are in the document",
      },
      rows.map(([name, spans], row) =>
        s(
          "g",
          { transform: `translate(0 ${row * 17})` },
          s("text", { x: 0, y: 10 }, name.length > 12 ? `${name.slice(0, 11)}…` : name),
          s("rect", { class: "track", x: 78, y: 2, width: width - 78, height: 10, rx: 2 }),
          spans.map((one) =>
            s(
              "a",
              { tabindex: "-1", onclick: () => show(sheet, `${one.start}-${one.end}`) },
              s("title", null, state.words.slice(one.start, one.end).join(" ")),
              s("rect", {
                x: 78 + ((width - 81) * one.start) / total,
                y: row === 0 || places.has(`${one.start}-${one.end}`) ? 0 : 3,
                width: 3,
                height: row === 0 || places.has(`${one.start}-${one.end}`) ? 14 : 8,
                fill: tint(one),
              }),
            ),
          ),
        ),
      ),
    );
  }

  // 3. Confusions

  const facetOf = (one, name) =>
    (name === "status" ? one.status : name in one && name !== "attributes" ? one[name] : one.attributes[name]) ?? "";
  const MOST_LABELS = 30;

  async function confusions(root, params) {
    const system = S.systems.includes(params.get("system")) ? params.get("system") : S.systems[0];
    const diagonal = params.get("diagonal") !== "no";
    const layout = S.confusion;
    const cases = await casesOf(system);
    const right = S.right[S.systems.indexOf(system)] || {};
    const kinds = layout.column === "kind";
    const counts = new Map();
    const add = (row, column, number) =>
      counts.set(`${row}\t${column}`, (counts.get(`${row}\t${column}`) || 0) + number);
    for (const one of cases) add(facetOf(one, layout.row), facetOf(one, layout.column), 1);
    const wrong = new Map();
    for (const [both, number] of counts)
      for (const label of new Set(kinds ? [both.split("\t")[0]] : both.split("\t")))
        if (label) wrong.set(label, (wrong.get(label) || 0) + number);
    const labels = [...new Set([...wrong.keys(), ...Object.keys(right)])].sort(
      (a, b) => (wrong.get(b) || 0) - (wrong.get(a) || 0) || (right[b] || 0) - (right[a] || 0) || (a < b ? -1 : 1),
    );
    const listed = labels.slice(0, MOST_LABELS).sort();
    const rows = [...listed, ...(kinds ? [] : [""])],
      columns = kinds ? ["right", ...new Set(cases.map((one) => one.kind))] : [...listed, ""];
    const number = (row, column) =>
      (kinds ? column === "right" : row === column && row) ? right[row] || 0 : counts.get(`${row}\t${column}`) || 0;
    const isRight = (row, column) => (kinds ? column === "right" : row === column && row !== "");
    const top = Math.max(
      1,
      ...rows.flatMap((row) => columns.filter((column) => !isRight(row, column)).map((column) => number(row, column))),
    );
    const name = (label, void_) => (label === "" ? h("span", { class: "void" }, void_) : h("bdi", null, label));
    const cell = (row, column) => {
      const count = number(row, column);
      if (row === "" && column === "") return h("td", null, h("span", { class: "soft" }, ""));
      if (isRight(row, column)) {
        const also = kinds ? 0 : counts.get(`${row}\t${column}`) || 0; // the right label, and yet an error: its boundaries
        return h(
          "td",
          { class: "right" },
          h("span", null, diagonal && count ? count : "·"),
          also > 0 &&
            h(
              "button",
              {
                type: "button",
                class: "small",
                title: `${row}, wrong in another way: show the cases`,
                onclick: () => go("errors", { system, [`f.${layout.row}`]: row, [`f.${layout.column}`]: column }),
              },
              `+${also}`,
            ),
        );
      }
      const share = count / top;
      const strong = share > 0.55;
      return h(
        "td",
        {
          class: strong ? "strong" : "",
          style: count
            ? { background: strong ? "var(--accent)" : `rgba(var(--heat), ${(0.06 + 0.5 * share).toFixed(3)})` }
            : null,
        },
        count
          ? h(
              "button",
              {
                type: "button",
                title: `${row || "nothing"} → ${column || "nothing"}: show the cases`,
                onclick: () =>
                  go("errors", { system, [`f.${layout.row}`]: row || VOID, [`f.${layout.column}`]: column || VOID }),
              },
              count,
            )
          : h("span", { class: "soft" }, ""),
      );
    };
    const table = () => ({
      names: 1,
      header: cells([`${layout.row} \\ ${layout.column}`, ...columns.map((one) => one || "missed")]),
      rows: rows.map((row) =>
        cells([
          row || "spurious",
          ...columns.map((column) =>
            row === "" && column === "" ? "" : isRight(row, column) && !diagonal ? "" : number(row, column),
          ),
        ]),
      ),
    });
    const hidden = labels.length - listed.length;
    put(
      root,
      h(
        "div",
        { class: "row" },
        h(
          "div",
          { class: "controls" },
          picker("System", S.systems, system, (one) => change({ system: one })),
          h(
            "label",
            { class: "check" },
            h("input", {
              type: "checkbox",
              checked: diagonal,
              onchange: (event) => change({ diagonal: event.target.checked ? "" : "no" }),
            }),
            "show what is right",
          ),
        ),
        copies(table),
      ),
      h(
        "div",
        { class: "scroll" },
        h(
          "table",
          { class: "matrix" },
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              h("th", { scope: "col" }, kinds ? `${layout.row} ↓   what happened →` : "expected ↓   given →"),
              columns.map((one) => h("th", { scope: "col", class: "number" }, name(one, "missed"))),
            ),
          ),
          h(
            "tbody",
            null,
            rows.map((row) =>
              h(
                "tr",
                null,
                h("th", { scope: "row" }, name(row, "spurious")),
                columns.map((column) => cell(row, column)),
              ),
            ),
          ),
        ),
      ),
      h(
        "p",
        { class: "soft small" },
        "The stronger the colour, the more errors; a number leads to its cases.",
        hidden > 0 && ` ${hidden} labels with fewer errors are not shown.`,
      ),
    );
  }

  // 4. Errors

  const subject = (one) => `${one.document}\t${one.start}\t${one.end}\t${one.key || `\n${one.kind}`}`;
  function statuses(first, second) {
    const count = (list) => {
      const found = new Map();
      for (const one of list) found.set(subject(one), (found.get(subject(one)) || 0) + 1);
      return found;
    };
    const a = count(first),
      b = count(second);
    const split = (list, others, own) => {
      const left = new Map(others),
        done = [];
      for (const one of list) {
        const key = subject(one),
          shared = left.get(key) || 0;
        if (shared) left.set(key, shared - 1);
        done.push({ ...one, status: shared ? "both wrong" : own });
      }
      return done;
    };
    return [...split(first, b, "fixed"), ...split(second, a, "broken").filter((one) => one.status === "broken")];
  }

  async function errors(root, params) {
    const system = S.systems.includes(params.get("system")) ? params.get("system") : S.systems[0];
    const versus =
      S.systems.includes(params.get("versus")) && params.get("versus") !== system ? params.get("versus") : "";
    const own = await casesOf(system);
    const cases = versus ? statuses(own, await casesOf(versus)) : own;
    const filters = [...params]
      .filter(([name]) => name.startsWith("f."))
      .map(([name, value]) => [name.slice(2), value]);
    const query = (params.get("q") || "").toLowerCase();
    const found = (one) =>
      !query || [one.key, one.response, one.context, one.document].some((part) => part.toLowerCase().includes(query));
    const passes = (one, besides) =>
      filters.every(([name, value]) => name === besides || facetOf(one, name) === (value === VOID ? "" : value));
    const searched = cases.filter(found);
    const listed = searched.filter((one) => passes(one));
    const names = [
      ...(versus ? ["status"] : []),
      "kind",
      ...S.facets.filter((name) => name !== "mentions"),
      "document",
    ];
    for (const [name] of filters) if (!names.includes(name)) names.push(name);
    const limit = Number(params.get("show")) || 40;
    const total = S.cases[S.systems.indexOf(system)];
    const search = h("input", {
      type: "search",
      value: params.get("q") || "",
      placeholder: "words…",
      onchange: (event) => change({ q: event.target.value, show: "" }),
    });
    const table = () => ({
      names: 7,
      header: cells([...(versus ? ["status"] : []), "document", "place", "kind", "key", "response", "cost", "context"]),
      rows: listed.map((one) =>
        cells([
          ...(versus ? [one.status] : []),
          one.document,
          `${one.start}:${one.end}`,
          one.kind,
          one.key,
          one.response,
          one.cost,
          one.context,
        ]),
      ),
    });
    put(
      root,
      h(
        "div",
        { class: "row" },
        h(
          "div",
          { class: "controls" },
          picker("System", S.systems, system, (one) =>
            change({ system: one, versus: versus === one ? "" : versus, show: "" }),
          ),
          S.systems.length > 1 &&
            picker("compared with", [["", "none"], ...S.systems.filter((one) => one !== system)], versus, (one) =>
              change({ versus: one, "f.status": "", show: "" }),
            ),
          h("label", null, "Search", search),
        ),
        copies(table),
      ),
      versus ? verdict(system, versus, cases) : kindBars(system),
      h(
        "div",
        { class: "gallery" },
        h(
          "div",
          { class: "facets" },
          filters.length > 0 &&
            h(
              "button",
              { type: "button", onclick: () => go("errors", { system, versus, q: params.get("q") }) },
              h("span", null, "✕ all filters"),
              h("span"),
            ),
          names.map((name) =>
            facet(
              name,
              searched.filter((one) => passes(one, name)),
              filters,
            ),
          ),
        ),
        h(
          "div",
          null,
          h(
            "p",
            { class: "soft", role: "status", style: { "margin-top": "0" } },
            `${listed.length.toLocaleString("en")} of ${cases.length.toLocaleString("en")} errors`,
            !versus &&
              total > own.length &&
              ` (the page lists ${own.length.toLocaleString("en")} of ${total.toLocaleString("en")}: aune errors lists all)`,
          ),
          h(
            "ul",
            { class: "cards" },
            listed.slice(0, limit).map((one) => card(one, system, versus)),
          ),
          listed.length > limit &&
            h(
              "p",
              { class: "more" },
              h(
                "button",
                { type: "button", onclick: () => change({ show: limit + 100 }) },
                `Show more (${(listed.length - limit).toLocaleString("en")} left)`,
              ),
            ),
          !listed.length && h("p", { class: "empty" }, cases.length ? "No error passes these filters." : "No errors."),
        ),
      ),
    );
  }

  function facet(name, cases, filters) {
    const counts = new Map();
    for (const one of cases) counts.set(facetOf(one, name), (counts.get(facetOf(one, name)) || 0) + 1);
    const chosen = filters.find(([one]) => one === name)?.[1];
    const values = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    if (!values.length || (values.length === 1 && values[0][0] === "" && chosen === undefined)) return null;
    const button = ([value, count]) =>
      h(
        "button",
        {
          type: "button",
          "aria-pressed": chosen === (value || VOID) ? "true" : "false",
          title: value || VOID,
          onclick: () => change({ [`f.${name}`]: chosen === (value || VOID) ? "" : value || VOID, show: "" }),
        },
        h("span", null, h("bdi", null, value || VOID)),
        h("span", null, count.toLocaleString("en")),
      );
    const first = values.slice(0, 8),
      rest = values.slice(8, 200);
    return h(
      "fieldset",
      null,
      h("legend", null, name),
      first.map(button),
      rest.length > 0 &&
        h(
          "details",
          { open: rest.some(([value]) => value === chosen) },
          h("summary", { class: "small" }, `${values.length - 8} more`),
          rest.map(button),
        ),
    );
  }

  function card(one, system, versus) {
    const [before, inside, after] = contextParts(one.context);
    const side = (text) => (text ? h("dd", null, h("bdi", null, text)) : h("dd", { class: "void" }, `${VOID} nothing`));
    const owner = one.status === "broken" ? versus : system;
    const notes = Object.entries(one.attributes)
      .filter(([name, value]) => value && value !== one.document && !(name === "mentions" && value === "1"))
      .map(([name, value]) => `${name}: ${value}`)
      .join(" · ");
    return h(
      "li",
      { class: "card" },
      h(
        "div",
        { class: "top" },
        one.status && h("span", { class: `chip ${one.status}` }, one.status),
        h("span", { class: "chip" }, one.kind),
        h("span", null, h("bdi", null, notes)),
        one.cost !== 1 && h("span", null, `cost ${Number(one.cost.toFixed(3))}`),
        h(
          "a",
          {
            href: address("text", {
              doc: one.document,
              system: owner,
              versus: versus && owner === system ? versus : versus ? system : "",
              at: `${one.start}-${one.end}`,
              in: one.attributes.utterance,
            }),
          },
          h("bdi", null, one.document),
        ),
      ),
      h("dl", { class: "both" }, h("dt", null, "key"), side(one.key), h("dt", null, "response"), side(one.response)),
      one.context &&
        h("p", { class: "context", dir: "auto" }, before, inside !== null && h("mark", null, inside), after),
    );
  }
  function contextParts(context) {
    const open = context.indexOf("["),
      close = open < 0 ? -1 : context.indexOf("]", open + 1);
    return close < 0
      ? [context, null, ""]
      : [context.slice(0, open), context.slice(open + 1, close).trim(), context.slice(close + 1)];
  }

  function kindBars(system) {
    const kinds = S.kinds[S.systems.indexOf(system)] || [];
    if (!kinds.length) return null;
    const top = Math.max(...kinds.map((one) => one.errors)),
      gains = kinds.some((one) => one.alone !== null);
    const measure = measureOf(S.main) || S.measures[0];
    const signed = (value) => (value === null ? "–" : (value > 0 ? "+" : "") + shown(value, measure));
    const head = (text, title) => h("span", { class: "head-cell number", title }, text);
    return h(
      "div",
      { class: "panel" },
      h(
        "div",
        {
          class: "bars",
          style: gains
            ? null
            : { "grid-template-columns": "minmax(8rem, max-content) max-content minmax(4rem, 1fr) max-content" },
        },
        h("span", { class: "head-cell" }, "kind"),
        head("errors"),
        h("span", { class: "over" }),
        gains
          ? [
              head(
                `${named(measure, measure.headline)} without`,
                "gained when the errors of this kind alone are put right",
              ),
              head("in turn", "gained after the kinds above are put right; these add up to what is missing"),
            ]
          : head("cost", "what they add to the error count of the task's main measure"),
        kinds.map((one) => [
          h("a", { href: address("errors", { system, "f.kind": one.kind }) }, one.kind),
          h("span", { class: "number" }, one.errors.toLocaleString("en")),
          h("span", { class: "track" }, h("i", { style: { width: `${(100 * one.errors) / top}%` } })),
          gains
            ? [h("span", { class: "number" }, signed(one.alone)), h("span", { class: "number" }, signed(one.in_turn))]
            : h("span", { class: "number" }, Number(one.cost.toFixed(2)).toLocaleString("en")),
        ]),
      ),
    );
  }

  function verdict(system, versus, cases) {
    const count = (status) => cases.filter((one) => one.status === status).length.toLocaleString("en");
    const part = (status, words) =>
      h(
        "div",
        null,
        h(
          "a",
          {
            href: address("errors", { system, versus, "f.status": status }),
            style: { "font-size": "1.5rem", "font-family": "var(--serif)" },
          },
          count(status),
        ),
        h("div", { class: "soft small" }, words),
      );
    return h(
      "div",
      { class: "panel row" },
      part("fixed", h("span", null, "fixed by ", h("bdi", null, versus))),
      part("broken", h("span", null, "broken by ", h("bdi", null, versus))),
      part("both wrong", "wrong in both"),
    );
  }

  // 5. Documents

  const MOST_CELLS = 12000,
    LISTED_DOCUMENTS = 100;

  function documents(root, params) {
    const [measure] = chosenMeasure(params);
    const value = measure.headline,
      better = betterOf(measure, value),
      table_ = S.byDocument[measure.name] || {};
    const of = (system, index) => {
      const one = (table_[system] || [])[index];
      return one === undefined ? null : one;
    };
    const a = S.systems.includes(params.get("a")) ? params.get("a") : S.systems[0];
    const b = S.systems.includes(params.get("b")) ? params.get("b") : S.systems.find((one) => one !== a) || a;
    const sort = params.get("sort") || "worst";
    const all = S.documents.map((_, index) => index);
    const mean = (index) => {
      const known = S.systems.map((system) => of(system, index)).filter((one) => one !== null);
      return known.length ? known.reduce((x, y) => x + y, 0) / known.length : null;
    };
    const spread = (index) => {
      const known = S.systems.map((system) => of(system, index)).filter((one) => one !== null);
      return known.length ? Math.max(...known) - Math.min(...known) : -1;
    };
    const orders = {
      worst: (x, y) => goodness(of(a, x), better) - goodness(of(a, y), better),
      mean: (x, y) => goodness(mean(x), better) - goodness(mean(y), better),
      difference: (x, y) =>
        goodness(of(b, y), better) -
          goodness(of(a, y), better) -
          (goodness(of(b, x), better) - goodness(of(a, x), better)) || x - y,
      spread: (x, y) => spread(y) - spread(x),
      text: (x, y) => x - y,
    };
    const ordered = [...all].sort((x, y) => (orders[sort] || orders.worst)(x, y) || x - y);
    const open = (system, index) => address("text", { doc: S.documents[index], system });
    const most = Math.floor(MOST_CELLS / S.systems.length);
    const shownDocuments = ordered.slice(0, most);
    const many = Number(params.get("show")) || LISTED_DOCUMENTS;
    const table = () => ({
      names: 1,
      header: cells(["document", ...S.systems]),
      rows: ordered.map((index) =>
        cells([S.documents[index], ...S.systems.map((system) => shown(of(system, index), measure))]),
      ),
    });
    put(
      root,
      h(
        "div",
        { class: "row" },
        h(
          "div",
          { class: "controls" },
          picker("Measure", measureChoices(true), `${measure.name} ${value}`, (one) => change({ measure: one })),
          picker("System A", S.systems, a, (one) => change({ a: one })),
          S.systems.length > 1 && picker("System B", S.systems, b, (one) => change({ b: one })),
          picker(
            "Order",
            [
              ["worst", "A's worst first"],
              ["mean", "hardest first"],
              ...(S.systems.length > 1
                ? [
                    ["difference", "where B is ahead"],
                    ["spread", "systems differ most"],
                  ]
                : []),
              ["text", "as in the key"],
            ],
            sort,
            (one) => change({ sort: one }),
          ),
        ),
        copies(table),
      ),
      h(
        "div",
        { class: "panel" },
        h("h3", null, `${named(measure, value)}, system by document`),
        heat(shownDocuments, measure, better, of, open),
        h(
          "p",
          { class: "soft small" },
          "The stronger the colour, the better. A cell opens its document.",
          ordered.length > most && ` The first ${most} of ${ordered.length} documents in this order.`,
        ),
      ),
      h(
        "div",
        { class: S.systems.length > 1 ? "two" : "" },
        S.systems.length > 1 &&
          h(
            "div",
            { class: "panel" },
            h("h3", null, h("bdi", null, a), " against ", h("bdi", null, b)),
            scatter(all, measure, better, a, b, of, open),
          ),
        h(
          "div",
          { class: "scroll" },
          h(
            "table",
            null,
            h(
              "thead",
              null,
              h(
                "tr",
                null,
                h("th", { scope: "col" }, "Document"),
                S.systems.map((system) => h("th", { scope: "col", class: "number" }, h("bdi", null, system))),
              ),
            ),
            h(
              "tbody",
              null,
              ordered.slice(0, many).map((index) => {
                const top = Math.max(...S.systems.map((system) => goodness(of(system, index), better)));
                return h(
                  "tr",
                  null,
                  h(
                    "th",
                    { scope: "row" },
                    h("a", { class: "plain", href: open(a, index) }, h("bdi", null, S.documents[index])),
                  ),
                  S.systems.map((system) =>
                    h(
                      "td",
                      {
                        class: `number${S.systems.length > 1 && goodness(of(system, index), better) === top ? " best" : ""}`,
                      },
                      h("a", { class: "plain", href: open(system, index) }, shown(of(system, index), measure)),
                    ),
                  ),
                );
              }),
            ),
          ),
          ordered.length > many &&
            h(
              "p",
              { class: "more", style: { padding: "0 0.9rem" } },
              h(
                "button",
                { type: "button", onclick: () => change({ show: many + 500 }) },
                `Show more (${ordered.length - many} left)`,
              ),
            ),
        ),
      ),
    );
  }

  function heat(indices, measure, better, of, open) {
    const known = indices
      .flatMap((index) => S.systems.map((system) => goodness(of(system, index), better)))
      .filter(Number.isFinite);
    const low = Math.min(...known),
      high = Math.max(...known);
    const left = 10 + 6.6 * Math.min(22, Math.max(...S.systems.map((one) => one.length))),
      wide = Math.max(3, Math.min(104, 1040 / Math.max(indices.length, 1))),
      tall = 26;
    const width = left + wide * indices.length,
      height = tall * S.systems.length + 2;
    const cell = (system, row, index, column) => {
      const value = of(system, index),
        worth = goodness(value, better),
        share = Number.isFinite(worth) ? (high > low ? (worth - low) / (high - low) : 1) : 0;
      return s(
        "a",
        { href: open(system, index), tabindex: "-1" },
        s("title", null, `${S.documents[index]}\n${system}: ${shown(value, measure)}`),
        s("rect", {
          x: left + column * wide,
          y: row * tall,
          width: wide,
          height: tall,
          style: { fill: value === null ? "var(--sunken)" : `rgba(var(--heat), ${(0.06 + 0.9 * share).toFixed(3)})` },
        }),
        wide >= 34 &&
          s(
            "text",
            {
              x: left + (column + 0.5) * wide,
              y: row * tall + 17,
              "text-anchor": "middle",
              style: { fill: share > 0.6 ? "var(--raised)" : "var(--ink)", "pointer-events": "none" },
            },
            shown(value, measure, 1),
          ),
      );
    };
    return h(
      "div",
      { style: { "overflow-x": "auto" } },
      s(
        "svg",
        {
          class: "plot heat",
          viewBox: `0 0 ${width} ${height}`,
          role: "img",
          "aria-label": `${measure.short} of each system on each document; the table below has the numbers`,
          style: { "max-width": `${width}px`, "min-width": `${Math.min(width, 640)}px` },
        },
        S.systems.map((system, row) =>
          s(
            "text",
            { x: left - 8, y: row * tall + 17, "text-anchor": "end" },
            system.length > 22 ? `${system.slice(0, 21)}…` : system,
          ),
        ),
        S.systems.map((system, row) => indices.map((index, column) => cell(system, row, index, column))),
      ),
    );
  }

  function ticks(low, high, wanted = 5) {
    const raw = (high - low) / wanted || 1,
      power = 10 ** Math.floor(Math.log10(raw)),
      step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= raw);
    const found = [];
    for (let one = Math.ceil(low / step) * step; one <= high + 1e-9; one += step)
      found.push(Number(one.toPrecision(10)));
    return found;
  }

  function scatter(indices, measure, better, a, b, of, open) {
    const known = indices.filter((index) => of(a, index) !== null && of(b, index) !== null);
    const values = known.flatMap((index) => [of(a, index), of(b, index)]);
    let low = Math.min(...values),
      high = Math.max(...values);
    const room = (high - low || 1) * 0.05;
    low -= room;
    high += room;
    const size = 420,
      left = 46,
      bottom = 38,
      inner = size - left - 12;
    const x = (value) => left + (inner * (value - low)) / (high - low),
      y = (value) => size - bottom - (inner * (value - low)) / (high - low);
    const ahead = known.filter((index) => goodness(of(b, index), better) > goodness(of(a, index), better)).length;
    const behind = known.filter((index) => goodness(of(b, index), better) < goodness(of(a, index), better)).length;
    const marks = ticks(low, high);
    return h(
      "div",
      null,
      s(
        "svg",
        {
          class: "plot",
          viewBox: `0 0 ${size} ${size}`,
          role: "img",
          "aria-label": `each document, ${a} across and ${b} up`,
          style: { "max-width": "34rem" },
        },
        marks.map((mark) => [
          s("line", { class: "grid", x1: x(mark), x2: x(mark), y1: y(low), y2: y(high) }),
          s("line", { class: "grid", x1: x(low), x2: x(high), y1: y(mark), y2: y(mark) }),
          s("text", { x: x(mark), y: size - bottom + 16, "text-anchor": "middle" }, shown(mark, measure, 0)),
          s("text", { x: left - 6, y: y(mark) + 4, "text-anchor": "end" }, shown(mark, measure, 0)),
        ]),
        s("line", { class: "frame", "stroke-dasharray": "4 3", x1: x(low), y1: y(low), x2: x(high), y2: y(high) }),
        known.map((index) =>
          s(
            "a",
            { href: open(a, index), tabindex: "-1" },
            s(
              "title",
              null,
              `${S.documents[index]}\n${a}: ${shown(of(a, index), measure)}\n${b}: ${shown(of(b, index), measure)}`,
            ),
            s("circle", {
              class: `point${goodness(of(b, index), better) > goodness(of(a, index), better) ? " win" : ""}`,
              cx: x(of(a, index)),
              cy: y(of(b, index)),
              r: known.length > 300 ? 3 : 5,
            }),
          ),
        ),
        s("text", { class: "title", x: left + inner / 2, y: size - 4, "text-anchor": "middle" }, a),
        s(
          "text",
          { class: "title", transform: `translate(11 ${size / 2 - 12}) rotate(-90)`, "text-anchor": "middle" },
          b,
        ),
      ),
      h(
        "p",
        { class: "soft small" },
        h("bdi", null, b),
        ` is better on ${ahead}, `,
        h("bdi", null, a),
        ` on ${behind} of ${known.length} documents. A point opens its document.`,
      ),
    );
  }

  // 6. Figures are in the page; their marks lead to systems and documents, their legends dim the rest.

  function figures(root) {
    if (root.dataset.armed) return;
    root.dataset.armed = "yes";
    root.addEventListener("click", (event) => {
      const mark = event.target.closest("[data-document], [data-system]");
      if (mark?.dataset.document) go("text", { doc: mark.dataset.document, system: mark.dataset.system });
      else if (mark?.dataset.system && S.listed) go("errors", { system: mark.dataset.system });
      const key = event.target.closest("[data-key]");
      if (key) {
        const drawing = key.closest("svg"),
          was = key.classList.contains("only");
        for (const one of drawing.querySelectorAll("[data-key]")) one.classList.remove("only");
        key.classList.toggle("only", !was);
        for (const one of drawing.querySelectorAll("[data-series]"))
          one.classList.toggle("dim", !was && one.dataset.series !== key.dataset.key);
      }
    });
  }

  // The page

  const DRAW = { ranking, text, confusions, errors, documents, figures };
  let drawn = 0;
  async function draw() {
    const { view, params } = route();
    const mine = ++drawn;
    for (const link of document.querySelectorAll(".bar a")) {
      const current = link.dataset.view === view;
      if (current) {
        link.setAttribute("aria-current", "page");
        link.scrollIntoView?.({ block: "nearest", inline: "nearest" });
      } else link.removeAttribute("aria-current");
    }
    for (const one of VIEWS) if (sectionOf(one)) sectionOf(one).hidden = one !== view;
    const root = view === "figures" ? sectionOf(view) : sectionOf(view).querySelector(".view");
    const focus = document.activeElement?.closest?.("select, input, button") ? pathTo(document.activeElement) : null;
    try {
      await DRAW[view](root, params);
    } catch (error) {
      put(root, h("p", { class: "warning", role: "alert" }, `This view cannot be shown: ${error.message}`));
      console.error(error);
    }
    if (mine === drawn && focus) refocus(root, focus);
    document.title = `${view[0].toUpperCase()}${view.slice(1)} · ${S.title}`;
    document.body.dataset.ready = view;
  }
  // A redrawn view keeps the keyboard where it was.
  const pathTo = (element) => ({
    tag: element.tagName,
    place: [...document.querySelectorAll(`main section:not([hidden]) ${element.tagName}`)].indexOf(element),
  });
  function refocus(root, { tag, place }) {
    if (place < 0 || !["SELECT", "INPUT"].includes(tag)) return;
    document.querySelectorAll(`main section:not([hidden]) ${tag}`)[place]?.focus({ preventScroll: true });
  }

  let last = route().view;
  addEventListener("hashchange", () => {
    const { view, params } = route();
    if (view !== last && !params.get("at")) scrollTo(0, Math.min(scrollY, byId("bar").offsetTop));
    last = view;
    draw();
  });
  addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const views = [...document.querySelectorAll(".bar a")];
    if (views[Number(event.key) - 1]) location.hash = views[Number(event.key) - 1].hash;
    if (route().view === "text" && (event.key === "[" || event.key === "]"))
      document.querySelector(`#view-text [aria-label="${event.key === "[" ? "previous" : "next"} document"]`)?.click();
  });
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  });
  draw();
})();
