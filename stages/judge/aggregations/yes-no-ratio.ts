import { yesNoRate } from './yes-no/rate.js'

/** The share of "yes" among all answers. */
export const yesNoRatio = yesNoRate('yes_no_ratio', 'yesRatio')
