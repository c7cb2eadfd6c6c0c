import { expect, test } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import { runKey } from '../../../cache/keys.js'
import type { RunSpec } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { withRepeat } from '../../../src/evaluation/which-run.js'
import type { EvalSettings } from '../../../src/config/settings.js'
import { someRun } from '../../support/report-data.js'

const began: RunSpec = {
  ...someRun.asked,
  tasks: [
    {
      name: 'colours',
      identity: 'sha256:1' as RunSpec['tasks'][number]['identity'],
      dataset: { path: '.', files: { 'q.jsonl': 'sha256:a' as never } },
    },
  ],
}

/** Returns the problems reported if a run of `began` is resumed with `now`. */
async function refusal(now: Partial<RunSpec>): Promise<readonly string[]> {
  const id = runKey(began).key
  const store = { runs: { find: () => Promise.resolve({ ...someRun, id, asked: began }) } } as unknown as Store
  const settings = { resume: { id, name: 'calm-heron-19c2' } } as EvalSettings
  const error = await withRepeat({ ...began, ...now }, settings, store).catch((thrown: unknown) => thrown)
  if (!(error instanceof PipelineError)) throw error
  return error.problems
}

const task = began.tasks[0]!

test("names changes since a run began in the user's terms", async () => {
  const end =
    "Run calm-heron-19c2 can't be resumed. Run its command again to start a new run: valid answers are reused."
  const files = { 'q.jsonl': 'sha256:b' as never }
  expect(await refusal({ tasks: [{ ...task, dataset: { path: '.', files } }] })).toEqual([
    'The data file q.jsonl changed since the run began.',
    end,
  ])
  expect(await refusal({ tasks: [{ ...task, identity: 'sha256:2' as never }] })).toEqual([
    'The YAML or the code of task colours changed since the run began.',
    end,
  ])
  expect(await refusal({ code: 'sha256:3' as never, selection: { limit: 3 } })).toEqual([
    'The code that asks the model changed since the run began.',
    'The setting selection.limit changed since the run began.',
    end,
  ])
})

test('an unchanged run continues', async () => {
  await expect(refusal({})).rejects.toMatchObject({ tasks: began.tasks })
})
