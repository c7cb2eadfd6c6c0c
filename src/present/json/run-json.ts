import type { Run } from '../../../cache/records.js'
import { readRunAbout } from '../../reading/runs/run-about.js'
import { modelLabel } from '../text/results/run-header.js'

/** The fields that begin every answer for programs about a run: on the command line, in the HTTP service and in its lists. */
export interface RunJson {
  readonly id: string
  readonly name: string
  readonly created_at: string
  /** The backend with its model and the arguments that can change answers: `openai gpt-4o`. */
  readonly model: string
  readonly tasks: string[]
  readonly tags: string[]
  /** The run's `--name`. */
  readonly title?: string
  /** The remark that is kept with the run (`--note`). */
  readonly note?: string
}

export const runJson = (run: Run, tags: readonly string[] = []): RunJson => ({
  id: run.id,
  name: run.name,
  created_at: new Date(run.createdAt).toISOString(),
  model: modelLabel(run),
  tasks: run.asked.tasks.map(({ name }) => name),
  tags: [...tags],
  ...readRunAbout(run),
})
