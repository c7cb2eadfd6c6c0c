import { expect, test } from 'vitest'
import { jobStages, type JobStage } from '../../../../cache/store/job-store.js'
import { planJobPart } from '../../../../src/service/jobs/job-stages.js'
import { newJob } from '../../../support/store-conformance/job-scene.js'

const plan = (own: readonly JobStage[], nextStage?: JobStage, request = {}): string => {
  const { stages, nextStage: rest } = planJobPart(
    {
      ...newJob({ request }),
      ...{ priority: 0, labels: {}, status: 'running', createdAt: 0, starts: 1, isCancelling: false },
      ...(nextStage && { nextStage }),
    },
    own,
  )
  return `${jobStages.filter(stage => stages[stage]).join('+')} then ${rest ?? 'nothing'}`
}

test.each<[readonly JobStage[], JobStage | undefined, object, string]>([
  [jobStages, undefined, {}, 'input+model+judge then nothing'],
  [['input', 'model'], undefined, {}, 'input+model then judge'],
  [['input', 'model'], 'model', {}, 'model then judge'],
  [['input'], undefined, {}, 'input then model'],
  [['input', 'judge'], undefined, {}, 'input then model'],
  [['input', 'judge'], 'judge', {}, 'judge then nothing'],
  [jobStages, 'judge', {}, 'judge then nothing'],
  [['model'], 'model', { predict_only: true }, 'model then nothing'],
  [jobStages, undefined, { predict_only: true }, 'input+model then nothing'],
])('a worker with %j runs, for a job at %s with %j: %s', (own, nextStage, request, expected) => {
  expect(plan(own, nextStage, request)).toBe(expected)
})
