'use strict';
(function () {
  const data = JSON.parse(document.getElementById('data').textContent);
  const byId = (id) => document.getElementById(id);
  const make = (tag, text, className) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  };

  // The text of the model.
  const lines = new Map();
  const source = byId('source');
  if (source) {
    for (const file of data.files) {
      if (data.files.length > 1) source.append(make('h4', file.name));
      const list = make('ol');
      file.lines.forEach((text, index) => {
        const line = make('li');
        line.append(make('i', String(index + 1)), text === '' ? ' ' : text);
        lines.set(file.name + ':' + (index + 1), line);
        list.append(line);
      });
      source.append(list);
    }
    for (const [file, line] of data.unreached) {
      const element = lines.get(file + ':' + line);
      if (element) { element.classList.add('dead'); element.title = 'no execution gets here'; }
    }
  }
  const into = (element, box) => {
    if (!element || !box) return;
    const place = element.getBoundingClientRect(), frame = box.getBoundingClientRect();
    const margin = Math.min(60, frame.height / 4);
    if (place.top < frame.top + margin) box.scrollTop += place.top - frame.top - margin;
    else if (place.bottom > frame.bottom - margin) box.scrollTop += place.bottom - frame.bottom + margin;
  };
  const light = (file, line, className) => {
    const element = lines.get(file + ':' + line);
    if (element) element.classList.add(className);
    return element;
  };
  for (const link of document.querySelectorAll('a[data-line]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      const element = lines.get(link.dataset.file + ':' + link.dataset.line);
      if (element && source) { source.scrollIntoView({ block: 'nearest' }); into(element, source); }
    });
  }
  if (!byId('slider')) return;

  // The state after each step follows from the state before the first and the changes of all steps up to it.
  const steps = data.steps;
  const first = steps.length ? steps[0].n - 1 : 0;
  const last = first + steps.length;
  let at = first;
  const stateAt = (number) => {
    const state = new Map(data.state);
    for (let index = 0; index < number - first; index++) {
      const step = steps[index];
      for (const prefix of step.gone) for (const name of [...state.keys()]) if (name.startsWith(prefix)) state.delete(name);
      for (const [name, value] of step.set) state.set(name, value);
    }
    return state;
  };
  const bands = [...document.querySelectorAll('.mc-band')];

  // Brings the lifeline of a process into sight, with room for what stands beside it.
  const heads = [...document.querySelectorAll('.heads g')];
  const across = (name, box) => {
    const head = heads[data.lanes.indexOf(name)];
    if (!head) return;
    const place = head.getBoundingClientRect(), frame = box.getBoundingClientRect();
    const room = Math.min(150, frame.width / 4);
    if (place.left < frame.left + 8) box.scrollLeft += place.left - frame.left - 48;
    else if (place.right + room > frame.right) box.scrollLeft += Math.min(place.right + room - frame.right, place.left - frame.left - 48);
  };

  const showPlaces = (step) => {
    const table = byId('places');
    table.replaceChildren();
    for (const name of data.lanes) {
      let next = null;
      for (let index = at - first; index < steps.length && !next; index++) {
        if (steps[index].name === name) next = steps[index];
        else if (steps[index].partner && steps[index].partner.name === name) next = steps[index].partner;
      }
      const end = data.end.find((process) => process.name === name);
      const moved = step && (step.name === name || (step.partner && step.partner.name === name));
      const row = make('tr', undefined, moved ? 'moved' : '');
      row.append(make('th', name));
      const text = next ? ':' + next.line + '  ' + next.text : end ? ':' + end.line + '  ' + (end.next || 'at its end') : '';
      row.append(make('td', text));
      table.append(row);
    }
  };
  const showValues = (now, before) => {
    const table = byId('values');
    table.replaceChildren();
    for (const name of [...now.keys()].sort()) {
      const value = now.get(name), old = before ? before.get(name) : value;
      const row = make('tr', undefined, old !== value ? 'new' : '');
      const cell = make('td');
      if (old !== value && old !== undefined) cell.append(make('s', old), ' → ');
      cell.append(value);
      row.append(make('th', name), cell);
      table.append(row);
    }
  };
  const show = () => {
    const step = at > first ? steps[at - first - 1] : null;
    byId('slider').value = at;
    byId('where').textContent = 'step ' + at + ' of ' + data.length;
    byId('step').textContent = step ? 'after step ' + at : first === 0 ? 'at the start' : 'after step ' + first;
    let did = 'Nothing has happened yet.';
    if (step) {
      did = step.name + ': ' + step.text;
      if (step.partner) did += ' — with ' + step.partner.name + ': ' + step.partner.text;
      if (data.cycle !== null && data.cycle !== undefined && at > data.cycle) did += ' ↻';
      if (step.fault) did += ' ✗ ' + step.fault;
    } else if (first > 0) did = 'The part that is shown begins here.';
    byId('did').textContent = did;
    byId('did').className = step && step.fault ? 'error' : '';
    showPlaces(step);
    showValues(stateAt(at), step ? stateAt(at - 1) : null);
    for (const line of lines.values()) line.classList.remove('on', 'with');
    if (step) {
      if (step.partner) light(step.partner.file, step.partner.line, 'with');
      into(light(step.file, step.line, 'on'), source);
      byId('file').textContent = step.file ? step.file.split('/').pop() + ':' + step.line : '';
    } else {
      byId('file').textContent = '';
    }
    let lit = null, near = null;
    for (const band of bands) {
      const number = Number(band.dataset.step);
      const on = step !== null && number === at;
      band.classList.toggle('on', on);
      if (on && !lit) lit = band;
      if (number <= at) near = band;
      band.classList.remove('near');
    }
    if (!lit && near && step) near.classList.add('near');
    const chart = byId('chart');
    if (lit || near) into(lit || near, chart);
    else chart.scrollTop = 0;
    if (step && lit) {
      if (step.partner) across(step.partner.name, chart);
      across(step.name, chart);
    }
  };
  const go = (number) => {
    const next = Math.max(first, Math.min(last, number));
    if (next !== at) { at = next; show(); }
  };
  byId('first').addEventListener('click', () => go(first));
  byId('back').addEventListener('click', () => go(at - 1));
  byId('next').addEventListener('click', () => go(at + 1));
  byId('last').addEventListener('click', () => go(last));
  byId('slider').addEventListener('input', (event) => go(Number(event.target.value)));
  byId('chart').addEventListener('click', (event) => {
    const band = bands.find((one) => {
      const place = one.getBoundingClientRect();
      return event.clientY >= place.top && event.clientY < place.bottom;
    });
    if (band) go(Number(band.dataset.step));
  });
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const far = event.shiftKey ? 10 : 1;
    const to = {
      ArrowRight: at + far, ArrowDown: at + far, j: at + 1, J: at + 10,
      ArrowLeft: at - far, ArrowUp: at - far, k: at - 1, K: at - 10,
      Home: first, End: last, PageDown: at + 10, PageUp: at - 10,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });
  const asked = /^#step=(\d+)$/.exec(location.hash);
  if (asked) at = Math.max(first, Math.min(last, Number(asked[1])));
  show();
})();
