// Questions to the program that serves this page.

/** What the program answers instead: the text is for people. */
export class Refused extends Error {}

async function answered(response) {
  if (response.ok) return response;
  let message = `status ${response.status}`;
  try {
    message = (await response.json()).error ?? message;
  } catch {
    // No JSON: the status has to do.
  }
  throw new Refused(message);
}

const post = (path, question, signal) =>
  fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(question),
    signal,
  }).then(answered);

export const model = async () => (await fetch("api/model").then(answered)).json();
export const walk = async (path, from) => (await post("api/walk", { path, from })).json();
export const evaluate = async (path, expressions) => (await post("api/eval", { path, expressions })).json();
export const graph = async (states) => (await post("api/graph", { states })).json();
export const cancel = async (search) => (await post("api/cancel", { search })).json();

/** Runs a check and tells each line of the answer. When the page goes away, the check ends. */
export async function check(question, tell) {
  const response = await post("api/check", question);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    rest += value ?? "";
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) tell(JSON.parse(line));
    if (done) return;
  }
}
