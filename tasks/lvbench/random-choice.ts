import type { DocList } from '../../stages/input/tasks/doc.js'
import { optionsByChance } from '../_shared/options-by-chance.js'
import { letter, text, texts } from '../_shared/options.js'

/**
 * The docs with their options in another order; one without a list of options stays as it is. lmms-eval draws it by a number that is another in
 * each process.
 */
export const withShuffledOptions = (docs: DocList): DocList =>
  docs.map(doc => {
    const given = texts(doc['options'] ?? [], 'options')
    if (given.length === 0) return doc
    const [question, answer] = [text(doc['question'], 'question'), text(doc['answer'], 'answer')]
    const { options, right } = optionsByChance(question, given, answer.trim().toUpperCase().charCodeAt(0) - 65)
    return { ...doc, options, answer: letter(right) }
  })
