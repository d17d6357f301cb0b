// A box that finds a document by words of its title. The titles reach the browser once, apart from the choice:
// thousands of them would otherwise travel, and be laid out, with every click. A choice is a number. Of more titles
// than are sent, those that match are asked for where typing pauses. Titles only ever become text.

const AT_ONCE = 80;  // rows that are made; more as one scrolls
const PAUSE = 250;  // milliseconds without typing until titles are asked for
const TITLES = (globalThis.cnragTitles ??= {});
const BOXES = new WeakMap();

// Numbers of the titles that have all words: the title itself, those that begin so, then the others as they stand.
function found(titles, lower, typed) {
  const wanted = typed.toLowerCase().trim(), words = wanted.split(/\s+/).filter(Boolean);
  if (!words.length) return titles.map((_, i) => i);
  const ranks = [[], [], []];
  lower.forEach((title, i) => {
    if (words.every((word) => title.includes(word))) ranks[title === wanted ? 0 : title.startsWith(wanted) ? 1 : 2].push(i);
  });
  return ranks.flat();
}

const CALLS_OF_BOX = new WeakMap();

async function titlesOf({ stamp }, element) {
  const call = (CALLS_OF_BOX.get(element) || 0) + 1;
  CALLS_OF_BOX.set(element, call);
  while (!TITLES[stamp]) {
    await new Promise((resolve) => setTimeout(resolve, 15));
    if (CALLS_OF_BOX.get(element) !== call || !element.isConnected) return null;
  }
  return TITLES[stamp];
}

function show(box) {
  const { input, data } = box;
  if (!box.typing) input.value = data.title;
  input.title = data.title;
  box.clear.hidden = data.chosen === null;
}

// Numbers of the titles to offer, and what is to be said below them.
function offered(box, typed) {
  const { titles, lower, answers } = box, wanted = typed.trim();
  if (!answers) {
    const numbers = found(titles, lower, typed);
    return { numbers, note: numbers.length ? '' : 'No title has these words' };
  }
  if (!wanted) return { numbers: [], note: 'Type words of a title' };
  if (answers.kept.has(wanted)) return answers.kept.get(wanted);
  const numbers = box.numbers, names = numbers.map((number) => titles[number]);  // meanwhile, what is left of these
  return {
    numbers: found(names, names.map((name) => name.toLowerCase()), wanted).map((i) => numbers[i]), note: 'Looking…',
  };
}

function open(box, typed) {
  const { list, input } = box, place = input.getBoundingClientRect(), { numbers, note } = offered(box, typed);
  box.numbers = numbers;
  box.active = -1;
  list.replaceChildren();
  more(box);
  if (note) {
    const said = document.createElement('div');
    said.className = 'note'; said.textContent = note;
    list.append(said);
  }
  const below = innerHeight - place.bottom > 200 || place.top < 240;
  Object.assign(list.style, {
    left: `${place.left}px`, width: `${place.width}px`,
    top: below ? `${place.bottom + 4}px` : 'auto', bottom: below ? 'auto' : `${innerHeight - place.top + 4}px`,
  });
  list.showPopover?.();
  list.scrollTop = 0;
  input.setAttribute('aria-expanded', 'true');
  if (typed.trim() && box.numbers.length) activate(box, 0);
}

function more(box) {
  const { list, numbers, titles, data } = box, from = list.querySelectorAll('[role=option]').length;
  for (const [i, number] of numbers.slice(from, from + AT_ONCE).entries()) {
    const row = document.createElement('div');
    row.setAttribute('role', 'option');
    row.setAttribute('aria-selected', String(number === data.chosen));
    row.setAttribute('aria-posinset', String(from + i + 1)); row.setAttribute('aria-setsize', String(numbers.length));
    row.id = `title-${number}`;
    row.textContent = titles[number];
    row.onclick = () => choose(box, number);
    list.append(row);
  }
}

function activate(box, at) {
  const { list, input } = box;
  list.querySelector('.active')?.classList.remove('active');
  if (at >= list.querySelectorAll('[role=option]').length) more(box);
  const row = list.querySelectorAll('[role=option]')[at];
  box.active = row ? at : -1;
  row?.classList.add('active');
  row?.scrollIntoView({ block: 'nearest' });
  if (row) input.setAttribute('aria-activedescendant', row.id); else input.removeAttribute('aria-activedescendant');
}

function close(box) {
  const { list, input } = box;
  box.typing = false;
  forget(box);
  box.numbers = [];
  if (list.matches(':popover-open')) list.hidePopover();
  list.replaceChildren();
  input.setAttribute('aria-expanded', 'false');
  input.removeAttribute('aria-activedescendant');
  show(box);
}

function forget(box) {
  clearTimeout(box.pause);
  box.answers?.forget();
}

// Asks where titles are asked for, and this is not known yet: once for each pause in typing.
function askFor(box, typed, pause) {
  const { answers, input } = box, wanted = typed.trim();
  forget(box);
  if (!answers || !wanted || answers.kept.has(wanted)) return;
  box.pause = setTimeout(() => answers.ask(wanted, () => {
    const active = box.numbers[box.active];
    open(box, input.value);
    if (box.numbers.includes(active)) activate(box, box.numbers.indexOf(active));
  }), pause);
}

// Python hears of it, and says the same with its next message; meanwhile the box shows what was chosen.
function choose(box, number) {
  box.data = { ...box.data, chosen: number, title: number === null ? '' : box.titles[number] };
  close(box);
  box.send('chosen', number === null ? -1 : number);
}

function onKeyOfBox(box, event) {
  event.stopPropagation();  // single letters are commands of the page around
  const isOpen = box.input.getAttribute('aria-expanded') === 'true';
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
  if (step) {
    if (!isOpen) open(box, '');
    activate(box, Math.min(Math.max(box.active + step, 0), box.numbers.length - 1));
  } else if (event.key === 'Enter' && isOpen && box.active >= 0) choose(box, box.numbers[box.active]);
  else if (event.key === 'Escape' && isOpen) close(box);
  else return;
  event.preventDefault();
}

function createBox(element) {
  const box = {
    element, input: element.querySelector('input'), list: element.querySelector('[role=listbox]'),
    clear: element.querySelector('.clear'), numbers: [], active: -1, typing: false,
  };
  const { input, list } = box;
  input.onclick = () => { if (input.getAttribute('aria-expanded') !== 'true') { input.select(); open(box, ''); } };
  input.oninput = () => { box.typing = true; open(box, input.value); askFor(box, input.value, PAUSE); };
  input.onkeydown = (event) => onKeyOfBox(box, event);
  input.onblur = () => close(box);
  list.onpointerdown = (event) => event.preventDefault();  // the box keeps the focus
  list.onscroll = () => { if (list.scrollTop + list.clientHeight > list.scrollHeight - 200) more(box); };
  box.clear.onclick = () => choose(box, null);
  box.away = (event) => { if (event.target !== list && input.getAttribute('aria-expanded') === 'true') close(box); };
  addEventListener('scroll', box.away, true);
  addEventListener('resize', box.away);
  return box;
}

export default async function render({ data, parentElement, setTriggerValue }) {
  const element = parentElement.querySelector('.find');
  element.querySelector('label').textContent = data.label;
  const known = await titlesOf(data, element);
  if (!known) return undefined;
  const isNew = !BOXES.has(element);
  if (isNew) BOXES.set(element, createBox(element));
  const box = BOXES.get(element);
  if (known !== box.known) {
    const answers = Array.isArray(known) ? null : known, titles = answers ? answers.titles : known;
    Object.assign(box, { known, answers, titles, lower: answers ? [] : titles.map((title) => title.toLowerCase()) });
  }
  box.data = data;
  box.send = setTriggerValue;
  box.input.placeholder = data.placeholder;
  const isBeingTypedInto = box.input.value && element.getRootNode().activeElement === box.input;
  if (isNew && isBeingTypedInto) box.input.oninput();  // by somebody who did not wait for the titles
  show(box);
  return () => {
    if (element.isConnected) return;  // what is being typed and the open list outlive a new message
    removeEventListener('scroll', box.away, true);
    removeEventListener('resize', box.away);
    BOXES.delete(element);
  };
}
