/** What the metrics of yes and no have in common: how an answer and a target become one of them. */
import { z } from 'zod'
import { stripWhiteSpace } from '../../../../base/white-space.js'
import { scored, unparsed, type MetricInput, type Verdict } from '../../define-metric.js'
import { yesOrNo, type YesNoRule, type YesOrNo } from '../../helpers/yes-no.js'

export const yesNoArgs = z.strictObject({
  /** `words`: yes or no as a word of its own. `exact`: nothing else. `prefix`: within the first four characters. */
  read: z.enum(['words', 'exact', 'prefix']).default('words'),
})

export function readYesNo(
  { text, references, parity }: Pick<MetricInput, 'text' | 'references' | 'parity'>,
  rule: YesNoRule,
): { readonly gold: YesOrNo; readonly answer: YesOrNo | undefined } {
  // There a word of its own is not looked for: an answer is yes or no and nothing else.
  return {
    gold: goldOf(references),
    answer: yesOrNo(text, parity === 'lmms-eval' && rule === 'words' ? 'exact' : rule),
  }
}

/** For the rates over all docs: gold and answer side by side. */
export function judgeYesNoPair(input: MetricInput, { read }: z.output<typeof yesNoArgs>): Verdict {
  const { gold, answer } = readYesNo(input, read)
  return answer === undefined ? unparsed(neither, { gold, answer: null }) : scored({ gold, answer })
}

export const neither = 'the answer says neither yes nor no'

function goldOf([reference, ...more]: readonly string[]): YesOrNo {
  const gold = stripWhiteSpace(reference ?? '')
    .toLowerCase()
    .replaceAll('.', '')
  if (more.length > 0 || (gold !== 'yes' && gold !== 'no')) {
    throw new Error(`the target ${JSON.stringify(reference)} is neither yes nor no`)
  }
  return gold
}
