import { pythonRandom } from '../../base/python/python-random.js'
import type { Doc, DocList } from '../../stages/input/tasks/doc.js'
import { letter, text } from '../_shared/options.js'
import { withoutMarkup } from '../_shared/wikihow-text.js'

/**
 * Adds the four options in random order, without stray markup, as `choices` and `choice1` to `choice4`, and the right one's letter in
 * brackets as `answer`. The order is that of a generator with the seed 42 that goes through the docs from the first, as in the tasks with
 * examples of lmms-eval; its other tasks draw from the process-wide generator, so that their order is another in each run. A doc that
 * has its options in an order already keeps it.
 */
export const withShuffledChoices = (docs: DocList): DocList =>
  shuffleChoices(docs, {
    option: value => (value === null ? ' ' : withoutMarkup(value)),
    named: (choices, right) => ({ choices, answer: `(${letter(right)})` }),
  })

/** Shuffles the options as they are written. The right answer is the bare letter. */
export const withShuffledOptions = (docs: DocList): DocList =>
  shuffleChoices(docs, { option: value => value ?? '', named: (_, right) => ({ answer: letter(right) }) })

interface Form {
  readonly option: (value: string | null) => string
  readonly named: (choices: readonly string[], right: number) => Doc
}

function shuffleChoices(docs: DocList, { option, named }: Form): DocList {
  const random = pythonRandom(42)
  return docs.map(doc => {
    if (doc['choice1'] !== undefined && doc['answer'] !== undefined) return doc
    const choices = random.shuffled(optionNames.map(name => option(readField(doc, name))))
    const numbered: Doc = Object.fromEntries(choices.map((choice, index) => [`choice${index + 1}`, choice]))
    // Of equal options the first.
    const right = choices.indexOf(option(readField(doc, 'Correct Answer')))
    return { ...doc, ...numbered, ...named(choices, right) }
  })
}

const optionNames = ['Incorrect Answer 1', 'Incorrect Answer 2', 'Incorrect Answer 3', 'Correct Answer'] as const

const readField = (doc: Doc, name: string): string | null => (doc[name] === null ? null : text(doc[name], name))
