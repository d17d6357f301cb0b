// Where there are too many titles to send, Python answers what is typed with those that match. One question is under
// way at a time, that of the box that asked last; an answer to an older one is nobody's. Titles only ever become text.

const MOST_KEPT = 200;  // answers: what is typed again needs no question

function createAnswers() {
  const answers = { titles: {}, kept: new Map(), question: null };
  answers.ask = (typed, heard) => {
    answers.question = { number: Date.now(), typed, heard };
    answers.send('question', { number: answers.question.number, typed });
  };
  answers.forget = () => { answers.question = null; };
  return answers;
}

function hear(answers, { answered, offers }) {
  const { question } = answers;
  if (!question || question.number !== answered) return;
  if (!offers) { answers.ask(question.typed, question.heard); return; }  // overtaken by a later message on its way
  answers.question = null;
  offers.numbers.forEach((number, i) => { answers.titles[number] = offers.titles[i]; });
  answers.kept.set(question.typed, offers);
  if (answers.kept.size > MOST_KEPT) answers.kept.delete(answers.kept.keys().next().value);
  question.heard();
}

export default ({ data, setTriggerValue }) => {
  const answers = ((globalThis.cnragTitles ??= {})[data.stamp] ??= createAnswers());
  answers.send = setTriggerValue;
  hear(answers, data);
};
