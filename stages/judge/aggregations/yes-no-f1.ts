import { yesNoRate } from './yes-no/rate.js'

/** The harmonic mean of precision and recall of "yes"; 0 where both are. */
export const yesNoF1 = yesNoRate('yes_no_f1', 'f1')
