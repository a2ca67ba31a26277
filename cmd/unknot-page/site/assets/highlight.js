"use strict";
// Colours of Starlark: highlight(text) returns a fragment. What it does not know stays as it is, so the text never changes.

const tokens = new RegExp([
  "(?<comment>#.*|--.*)",
  "(?<string>\"\"\"[\\s\\S]*?(?:\"\"\"|$)|'''[\\s\\S]*?(?:'''|$)|\"(?:\\\\.|[^\"\\\\\\n])*\"?|'(?:\\\\.|[^'\\\\\\n])*'?)",
  "(?<number>\\b\\d[\\w.]*)",
  "(?<word>(?<!\\.)\\b[A-Za-z_]\\w*)",
].join("|"), "g");
const keywords = new Set(("and break continue def elif else for if in lambda load not or pass return True False None " +
  "begin end rule const type var startstate invariant ruleset endrule").split(" "));
const builtins = new Set(("param network expect node link both topology table json paths tables flows replies hop oblivious discard " +
  "machine processes domain optional record symmetry rule when choose also count fail invariant never reach eventually ltl " +
  "network_of final fifo initial any all range len enumerate zip sorted reversed min max struct").split(" "));

function highlight(text, murphi) {
  const out = document.createDocumentFragment();
  let done = 0;
  for (const found of text.matchAll(tokens)) {
    let kind = Object.keys(found.groups).find((k) => found.groups[k] !== undefined);
    if (kind === "comment" && found[0].startsWith("--") !== Boolean(murphi)) continue;
    if (kind === "word") kind = keywords.has(found[0]) ? "keyword" : builtins.has(found[0]) ? "builtin" : "";
    if (!kind) continue;
    out.append(text.slice(done, found.index));
    const span = document.createElement("span");
    span.className = "t-" + kind;
    span.textContent = found[0];
    out.append(span);
    done = found.index + found[0].length;
  }
  out.append(text.slice(done));
  return out;
}
