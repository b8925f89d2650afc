// Making elements. Text is always set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

export const el = (name, attributes, ...children) =>
  fill(document.createElement(name), attributes, children);

export const svg = (name, attributes, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

/** A text in one line, cut to a number of characters. */
export function cut(text, max) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= max ? line : line.slice(0, Math.max(1, max - 1)) + "…";
}

/** A class with the colour of a process. */
export const colour = (pid) => `p${pid % 8}`;

export const processName = (name, pid) => `${name}[${pid}]`;

/** The small label with the name of a process. */
export const chip = (name, pid) => el("span", { class: `chip ${colour(pid)}` }, processName(name, pid));

/** `:12`, or `file.h:12` outside of the model. */
export function place(location, model) {
  const match = /^(.*):(\d+):(\d+)$/.exec(location ?? "");
  if (!match) return "";
  return match[1] === model ? `:${match[2]}` : `${match[1].split("/").pop()}:${match[2]}`;
}

export function lineOf(location) {
  const match = /^(.*):(\d+):(\d+)$/.exec(location ?? "");
  return match ? { file: match[1], line: Number(match[2]) } : null;
}

/** A message as the program writes it: `ack`, `7`, `msg(1,2)`, `(3,1)`. */
export function messageText(values) {
  const [first, ...rest] = values;
  if (values.length === 1) return first;
  const isName = values.length > 1 && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(first) && first !== "true" && first !== "false";
  return isName ? `${first}(${rest.join(",")})` : `(${values.join(",")})`;
}

/** `1 step`, `2 steps`. */
export const plural = (number, noun) => `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`;

export const count = (number) => number.toLocaleString("en-US");

export function bytes(number) {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  let unit = 0;
  while (number >= 1024 && unit < 3) {
    number /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? number : number.toFixed(1)} ${units[unit]}`;
}
