import type { DocList } from '../../stages/input/tasks/doc.js'
import { optionsByChance } from '../_shared/options-by-chance.js'
import { text } from '../_shared/options.js'
import { number } from '../_shared/values.js'
import { optionsOf } from './utils.js'

/**
 * The docs with their options in another order. lmms-eval looks for them under names that the data set does not have, so that its form changes
 * nothing.
 */
export const withShuffledOptions = (docs: DocList): DocList =>
  docs.map(doc => {
    const drawn = optionsByChance(
      text(doc['id'], 'id'),
      optionsOf(doc),
      number(doc['correct_choice'], 'correct_choice'),
    )
    const named = Object.fromEntries([0, 1, 2, 3, 4].map(index => [`option${index}`, drawn.options[index] ?? 'N/A']))
    return { ...doc, ...named, correct_choice: drawn.right }
  })
