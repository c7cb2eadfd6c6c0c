import type { RunStability, TaskStability } from '../../rescoring/run-stability.js'
import type { DiagnosedDocs, StabilityView, TaskStabilityView } from './data/planning.js'
import { cutText } from './samples/texts.js'

/** The maximum number of docs that a diagnosis names. */
const mostDocs = 100

/** Shows the stability of a run, with the first docs of each diagnosis. */
export const stabilityView = (stability: RunStability): StabilityView => ({
  ...stability,
  tasks: stability.tasks.map(stabilityOfTask),
})

function stabilityOfTask({ diagnoses, ...values }: TaskStability): TaskStabilityView {
  const { ambiguous, confidentlyWrong, modelSpecific = [], wrongEverywhere = [] } = diagnoses
  const entries = Object.entries({
    ambiguous: nameDocs(ambiguous),
    confidentlyWrong: {
      docs: confidentlyWrong.length,
      first: confidentlyWrong.slice(0, mostDocs).map(({ id, answer }) => ({ id, answer: cutText(answer) })),
    },
    modelSpecific: nameDocs(modelSpecific),
    wrongEverywhere: nameDocs(wrongEverywhere),
  }).filter(([, { docs }]) => docs > 0)
  return { ...values, ...Object.fromEntries(entries) }
}

const nameDocs = (ids: readonly string[]): DiagnosedDocs => ({
  docs: ids.length,
  first: ids.slice(0, mostDocs).map(id => ({ id })),
})
