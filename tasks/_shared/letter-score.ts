import { unparsed, type Verdict } from '../../stages/judge/define-metric.js'

/** 1 where the letter that the answer names is the right one, else 0; an answer that names none is wrong, and told as unparsed. */
export const letterScore = (named: string | undefined, right: string): number | Verdict =>
  named === undefined ? unparsed('the answer names no option') : Number(named === right)
