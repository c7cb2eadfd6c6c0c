import { yesNoRate } from './yes-no/rate.js'

/** The share of right ones among the answers "yes"; 0 where there is none. */
export const yesNoPrecision = yesNoRate('yes_no_precision', 'precision')
