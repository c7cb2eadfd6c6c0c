import { describe, expect, test } from 'vitest'
import { writeTaskFromData } from '../../../src/authoring/task-from-data.js'
import { makeTaskScorer } from '../../../src/judging/scoring.js'
import { judgeRecordKey } from '../../../cache/keys.js'
import { sha256 } from '../../../cache/digest.js'
import { prepareTask } from '../../../stages/input/prepare-task.js'
import { promptText } from '../../../src/authoring/task-trial.js'
import { loadTask } from '../../../stages/input/tasks/load-task.js'
import { temporaryFolder } from '../../stages/input/temp-folder.js'

const folder = temporaryFolder()

/** Rows of a data file, with what a person would answer and what is wrong. */
interface Form {
  readonly rows: readonly object[]
  /** An answer of each row that is right. */
  readonly right: readonly string[]
  /** An answer of each row that is wrong. */
  readonly wrong: readonly string[]
  /** Texts that the prompt of the first row holds. */
  readonly shows: readonly string[]
  /** Parts of the guesses. */
  readonly guesses?: readonly string[]
}

const colours = ['seven', 'red']
const asked = { question: 'Which is a colour?', choices: colours }
const lettered = ['Which is a colour?', 'A. seven\nB. red', 'letter of the right option']

const forms: Readonly<Record<string, Form>> = {
  'a list with an index from 0 (MMLU)': {
    rows: [
      { ...asked, subject: 'art', answer: 1 },
      { ...asked, subject: 'art', answer: 0 },
    ],
    right: ['red', 'A'],
    wrong: ['A', 'red'],
    shows: lettered,
    guesses: ['counted from 0', 'not used: subject'],
  },
  'a list with an index from 1': {
    rows: [
      { ...asked, answer: 2 },
      { ...asked, answer: 1 },
    ],
    right: ['red', 'seven'],
    wrong: ['seven', 'B'],
    shows: lettered,
    guesses: ['counted from 1'],
  },
  'a list with an index as a text (HellaSwag)': {
    rows: [
      { ctx: 'He opens', endings: ['a door.', 'the sky.'], label: '0' },
      { ctx: 'She eats', endings: ['a car.', 'soup.'], label: '1' },
    ],
    right: ['A', 'soup.'],
    wrong: ['B', 'A'],
    shows: ['He opens', 'A. a door.\nB. the sky.'],
  },
  'a list with a letter': {
    rows: [{ ...asked, answer: 'B' }],
    right: ['B. red'],
    wrong: ['A'],
    shows: lettered,
    guesses: ['the letter of the right option'],
  },
  'a list with a small letter': { rows: [{ ...asked, answer: 'b' }], right: ['red'], wrong: ['A'], shows: lettered },
  'a list with a letter in parentheses': {
    rows: [{ ...asked, answer: '(B)' }],
    right: ['red'],
    wrong: ['A'],
    shows: lettered,
  },
  'a list with the text of the option': {
    rows: [{ ...asked, answer: 'red' }],
    right: ['B'],
    wrong: ['A'],
    shows: lettered,
  },
  'a list of numbers with the right number as a text': {
    rows: [{ question: '1 + 1?', choices: ['1', '2', '3'], answer: '2' }],
    right: ['B'],
    wrong: ['C'],
    shows: ['A. 1\nB. 2\nC. 3'],
  },
  'a list of texts of numbers with an index': {
    rows: [
      { question: '1 + 1?', choices: ['3', '2', '1'], answer: 1 },
      { question: '1 + 0?', choices: ['1', '2', '3'], answer: 0 },
    ],
    right: ['B', '1'],
    wrong: ['C', 'B'],
    shows: ['A. 3\nB. 2\nC. 1'],
  },
  'texts and labels in an object (ARC)': {
    rows: [
      { id: 'a', question: 'Which is a colour?', choices: { text: colours, label: ['A', 'B'] }, answerKey: 'B' },
      { id: 'b', question: 'Which is a colour?', choices: { text: colours, label: ['1', '2'] }, answerKey: '2' },
    ],
    right: ['red', 'B'],
    wrong: ['A', 'seven'],
    shows: lettered,
    guesses: ['the label of the right option', 'not used: id'],
  },
  'an object by letters, with text and letter of the answer (MedQA)': {
    rows: [
      {
        question: 'Which is a colour?',
        answer: 'red',
        options: { A: 'seven', B: 'red' },
        answer_idx: 'B',
        meta_info: 'step1',
      },
    ],
    right: ['B'],
    wrong: ['A'],
    shows: lettered,
    guesses: ['others could be it: answer_idx', 'not used: answer_idx, meta_info'],
  },
  'an object by letters with a letter': {
    rows: [{ question: 'Which is a colour?', options: { A: 'seven', B: 'red' }, answer: 'B' }],
    right: ['red'],
    wrong: ['A'],
    shows: lettered,
  },
  'a list of objects with label and text': {
    rows: [
      {
        question: 'Which is a colour?',
        choices: [
          { label: 'A', text: 'seven' },
          { label: 'B', text: 'red' },
        ],
        answerKey: 'B',
      },
    ],
    right: ['red'],
    wrong: ['seven'],
    shows: lettered,
  },
  'columns A to D with a letter': {
    rows: [{ question: 'Which is a colour?', A: 'seven', B: 'red', C: 'two', D: 'up', answer: 'B' }],
    right: ['red'],
    wrong: ['C'],
    shows: ['A. seven\nB. red\nC. two\nD. up'],
  },
  'columns A to C with the text of the option, one of them empty': {
    rows: [
      { question: 'Which is a colour?', A: 'seven', B: 'red', C: 'two', answer: 'red' },
      { question: 'Which is a number?', A: 'seven', B: 'red', C: '', answer: 'seven' },
    ],
    right: ['B', 'A'],
    wrong: ['C', 'B'],
    shows: ['A. seven\nB. red\nC. two'],
  },
  'columns opa to opd with a number from 0 (MedMCQA)': {
    rows: [
      { question: 'Which is a colour?', opa: 'seven', opb: 'red', opc: 'two', opd: 'up', cop: 1, exp: 'Red is one.' },
      { question: 'Which is a number?', opa: 'seven', opb: 'red', opc: 'in', opd: 'up', cop: 0, exp: 'Seven is one.' },
    ],
    right: ['red', 'A'],
    wrong: ['A', 'up'],
    shows: ['A. seven\nB. red\nC. two\nD. up'],
    guesses: ['not used: exp'],
  },
  'columns option1 and option2 with a number from 1 (WinoGrande)': {
    rows: [
      { sentence: 'A or B?', option1: 'Ann', option2: 'Bea', answer: '2' },
      { sentence: 'A or B?', option1: 'Ann', option2: 'Bea', answer: '1' },
    ],
    right: ['Bea', 'A'],
    wrong: ['A', 'Bea'],
    shows: ['A. Ann\nB. Bea'],
  },
  'columns that are numbered from 1, with numbers that fit both ways': {
    rows: [
      { question: 'Which is a colour?', option1: 'seven', option2: 'red', option3: 'up', answer: 2 },
      { question: 'Which is a number?', option1: 'seven', option2: 'red', option3: 'up', answer: 1 },
    ],
    right: ['red', 'A'],
    wrong: ['up', 'B'],
    shows: ['A. seven\nB. red\nC. up'],
    guesses: ['counted from 1', '1 is assumed, as the columns are numbered'],
  },
  'a list with numbers that fit both ways': {
    rows: [{ question: 'Which is a colour?', choices: ['seven', 'red', 'up'], answer: 1 }],
    right: ['red'],
    wrong: ['A'],
    shows: ['A. seven\nB. red\nC. up'],
    guesses: ['counted from 0', '0 is assumed'],
  },
  'options in the question itself with a letter': {
    rows: [
      { question: 'Which is a colour?\nA. seven\nB. red\nC. up', answer: 'B' },
      { question: 'Which is a number?\n(A) seven\n(B) red', answer: 'A' },
    ],
    right: ['The answer is B.', '(A) seven'],
    wrong: ['C', 'B. red'],
    shows: ['C. up\nAnswer with the letter of the right option.'],
  },
  'letters of grades, of which no question lists options': {
    rows: [
      { question: 'Which grade is best?', answer: 'A' },
      { question: 'Which comes then?', answer: 'B' },
    ],
    right: ['A', 'b'],
    wrong: ['B', 'C'],
    shows: ['Which grade is best?\nAnswer with a word or a short phrase.'],
  },
  'lists that are written as texts (a CSV of Python)': {
    rows: [{ question: 'Which is a colour?', choices: "['seven', 'red']", answer: 1 }],
    right: ['1'],
    wrong: ['0'],
    shows: ['Which is a colour?'],
    guesses: ['not used: choices', 'its lists are written as texts'],
  },
  'a passage with answers in an object (SQuAD)': {
    rows: [
      {
        id: '1',
        title: 'Box',
        context: 'The box is red.',
        question: 'Which colour is the box?',
        answers: { text: ['red', 'Red'], answer_start: [11, 11] },
      },
    ],
    right: ['red'],
    wrong: ['blue'],
    shows: ['The box is red.\n\nWhich colour is the box?'],
    guesses: ['read as answers.text', 'before the question: context', 'not used: id, title'],
  },
  'a passage with true and false (BoolQ)': {
    rows: [
      { question: 'is it red', passage: 'The box is red.', answer: true },
      { question: 'is it red', passage: 'The box is blue.', answer: false },
    ],
    right: ['Yes', 'No'],
    wrong: ['No', 'Yes'],
    shows: ['The box is red.\n\nis it red', 'yes or no'],
  },
  'true and false as texts': {
    rows: [
      { question: 'Is it red?', answer: 'True' },
      { question: 'Is it blue?', answer: 'False' },
    ],
    right: ['yes', 'No.'],
    wrong: ['no', 'yes'],
    shows: ['Is it red?'],
  },
  'a passage with options and a letter (RACE)': {
    rows: [{ article: 'The box is red.', question: 'Which colour is it?', options: ['blue', 'red'], answer: 'B' }],
    right: ['red'],
    wrong: ['A'],
    shows: ['The box is red.\n\nWhich colour is it?\nA. blue\nB. red'],
  },
  'premise and hypothesis with names of classes (NLI)': {
    rows: [1, 2, 3].flatMap(() => [
      { premise: 'A dog runs.', hypothesis: 'An animal moves.', label: 'entailment' },
      { premise: 'A dog runs.', hypothesis: 'A dog sleeps.', label: 'contradiction' },
    ]),
    right: ['Entailment.', 'contradiction'],
    wrong: ['contradiction', 'neutral'],
    shows: ['Premise: A dog runs.\nHypothesis: An animal moves.', 'Answer with one of: contradiction, entailment.'],
  },
  'premise and hypothesis with numbers of classes': {
    rows: [
      { premise: 'A dog runs.', hypothesis: 'An animal moves.', label: 0 },
      { premise: 'A.', hypothesis: 'B.', label: 2 },
    ],
    right: ['0', '2'],
    wrong: ['1', '0'],
    shows: ['Premise: A dog runs.\nHypothesis: An animal moves.'],
    guesses: ['label holds numbers of classes'],
  },
  'two sentences': {
    rows: [{ sentence1: 'It rains.', sentence2: 'It is wet.', label: 'yes' }],
    right: ['yes'],
    wrong: ['no'],
    shows: ['Sentence 1: It rains.\nSentence 2: It is wet.'],
  },
  'an instruction with an input (Alpaca)': {
    rows: [
      { instruction: 'Name the colour.', input: 'The box is red.', output: 'red' },
      { instruction: 'Name a number.', input: '', output: 'seven' },
    ],
    right: ['red', 'seven'],
    wrong: ['blue', 'eight'],
    shows: ['Name the colour.\n\nThe box is red.'],
    guesses: ['behind the question: input'],
  },
  'an input alone': {
    rows: [{ input: 'Say red.', target: 'red' }],
    right: ['red'],
    wrong: ['blue'],
    shows: ['Say red.'],
  },
  'several spellings of the answer (TriviaQA)': {
    rows: [{ question: 'Which town?', answer: { value: 'Lima', aliases: ['Lima', 'Ciudad de los Reyes'] } }],
    right: ['ciudad de los reyes'],
    wrong: ['Quito'],
    shows: ['Which town?'],
  },
  'a list of answers': {
    rows: [{ question: 'Which town?', answer: ['Lima', 'Lima, Peru'] }],
    right: ['Lima, Peru'],
    wrong: ['Quito'],
    shows: ['Which town?'],
  },
}

describe('a perfect model scores 1 and a wrong one 0 on a task that is written for', () => {
  test.each(Object.keys(forms))('%s', async name => {
    const form = forms[name]
    if (form === undefined) throw new Error(name)
    await folder.write('rows.jsonl', form.rows.map(row => `${JSON.stringify(row)}\n`).join(''))
    const id = `t${Object.keys(forms).indexOf(name)}`
    const written = await writeTaskFromData(id, { dir: folder.path(), file: folder.path('rows.jsonl') })
    for (const text of form.shows) expect(written.preview.prompt).toContain(text)
    expect(written.problems).toEqual([])
    for (const text of form.guesses ?? []) expect(written.guesses.join('\n')).toContain(text)
    expect(await scoreAnswers(written.file, form.right)).toEqual(form.right.map(() => 1))
    expect(await scoreAnswers(written.file, form.wrong)).toEqual(form.wrong.map(() => 0))
  })
})

/** Scores one answer for each of the first docs, with the task's only metric. */
async function scoreAnswers(file: string, answers: readonly string[]): Promise<readonly unknown[]> {
  const options = { cacheDir: folder.path('cache') }
  const task = await loadTask(file, options)
  const scorer = await makeTaskScorer(task.name, task.scoring, { ...options, exported: [] })
  const prepared = await prepareTask(task)
  const values: unknown[] = []
  for await (const doc of prepared.docs(index => index < answers.length)) {
    const text = answers[values.length]
    if (text === undefined) break
    const rendered = prepared.renderer.render(doc)
    if (rendered.type === 'failed') throw new Error(rendered.reason)
    expect(promptText(rendered.messages)).not.toContain('None')
    const { record } = rendered
    const body = { text, finishReason: 'stop' as const }
    const key = sha256<'response'>(text)
    const answer = { choice: 0, sample: 0, key, digest: sha256<'answer'>(text), body }
    const score = await scorer.score({
      ...{ task: 0, index: values.length, id: String(values.length), recordKey: judgeRecordKey(record).key },
      ...{ record, answers: [answer] },
    })
    values.push(Object.values(score.values)[0])
  }
  return values
}
