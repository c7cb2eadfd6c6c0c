import { yesNoRate } from './yes-no/rate.js'

/** The share of the docs with the target yes that are answered "yes"; 0 where there is none. */
export const yesNoRecall = yesNoRate('yes_no_recall', 'recall')
