import { pythonRandom } from '../../base/python-random.js'
import type { Doc, DocList } from '../../stages/input/tasks/doc.js'
import { letter, text } from '../_shared/options.js'
import { withoutMarkup } from '../_shared/wikihow-text.js'

/**
 * Adds the four options in random order, without stray markup, as `choices` and `choice1` to `choice4`, and the right one's letter in
 * brackets as `answer`. The order is that of a generator with the seed 42 that goes through the docs from the first, as in the tasks with
 * examples of lmms-eval; its other tasks draw from the process-wide generator, so that their order is another in each run.
 */
export function withShuffledChoices(docs: DocList): DocList {
  const random = pythonRandom(42)
  return docs.map(doc => {
    const choices = random.shuffled(optionsOf(doc).map(option => (option === null ? ' ' : withoutMarkup(option))))
    const right = choices.indexOf(cleaned(doc['Correct Answer']))
    return { ...doc, ...numbered(choices), choices, answer: `(${letter(right)})` }
  })
}

/** The same with the options as they are, and the bare letter. */
export function withShuffledOptions(docs: DocList): DocList {
  const random = pythonRandom(42)
  return docs.map(doc => {
    const options = random.shuffled(optionsOf(doc).map(option => option ?? ''))
    const right = options.indexOf(text(doc['Correct Answer'], 'Correct Answer'))
    return { ...doc, ...numbered(options), answer: letter(right) }
  })
}

const optionNames = ['Incorrect Answer 1', 'Incorrect Answer 2', 'Incorrect Answer 3', 'Correct Answer'] as const

const optionsOf = (doc: Doc): readonly (string | null)[] =>
  optionNames.map(name => (doc[name] === null ? null : text(doc[name], name)))

const cleaned = (option: unknown): string => (option === null ? ' ' : withoutMarkup(text(option, 'Correct Answer')))

const numbered = (choices: readonly string[]): Doc =>
  Object.fromEntries(choices.map((choice, index) => [`choice${index + 1}`, choice]))
