/** Tools that plan comparisons and calibrate judges. */
import { z } from 'zod'
import { present } from '../../../../base/values/present.js'
import { calibrateJudge } from '../../../reading/calibration/calibrate-judge.js'
import { planPower } from '../../../reading/planning/plan-power.js'
import { planRunPower } from '../../../reading/planning/run-power.js'
import { asObject } from '../../http/json.js'
import { compareHints } from '../compare-hints.js'
import { resolveReference, startedRun } from '../found-run.js'
import { runId } from '../run-fields.js'
import { cutField, defineTool } from '../tool.js'

const share = z.number().gt(0).lt(1)

const assumptions = z.strictObject({
  effect: z.number().optional().describe("the difference that should be found, on the metric's scale (0.03)"),
  std: z.number().positive().optional().describe("the standard deviation of a doc's score (0.5)"),
  correlation: z.number().min(-1).max(1).optional().describe('how the scores of the two models go together (0.5)'),
  docs: z.int().min(2).optional().describe('the number of docs that there are'),
  cluster_size: z.number().min(1).optional().describe('docs that share a cluster, such as a picture (1)'),
  icc: z.number().min(0).max(1).optional().describe('the intra-cluster correlation of the differences (0)'),
  alpha: share.optional().describe('the rate of false alarms (0.05)'),
  power: share.optional().describe('the probability that the difference is found (0.8)'),
  runs: z
    .array(runId)
    .min(1)
    .max(2)
    .optional()
    .describe('one run, whose scores give the spread; or two, whose differences give it'),
})

export const planComparisonTool = defineTool({
  name: 'plan_comparison',
  title: 'Plan a comparison',
  description:
    'Computes how many docs the comparison of two models on the same docs needs, the smallest difference that the docs show, and the power of other numbers of docs. It plans from assumptions, or for each task of one or two runs.',
  input: assumptions,
  output: z.object({
    plan: z
      .looseObject({ neededDocs: z.int(), designEffect: z.number(), stdOfDifferences: z.number() })
      .nullable()
      .describe('the plan from assumptions alone; null with runs'),
    tasks: z
      .array(z.looseObject({ task: z.string(), metric: z.string(), docs: z.int() }))
      .describe('a plan for each metric of the runs, or the reason why there is none'),
    ...cutField,
  }),
  async run({ runs, std, cluster_size: clusterSize, ...assumptions }, { service }) {
    const settings = present({ ...assumptions, stdA: std, stdB: std, clusterSize })
    const [a, b] = runs ?? []
    if (a === undefined) return { plan: { ...planPower(settings) }, tasks: [] }
    const { store } = service
    const second = b === undefined ? undefined : { store, reference: await resolveReference(service, b) }
    const first = { store, reference: await resolveReference(service, a) }
    const { tasks } = await planRunPower(first, second, { ...settings, hints: compareHints })
    return { plan: null, tasks: tasks.map(task => ({ ...task })) }
  },
})

export const calibrateJudgeTool = defineTool({
  name: 'calibrate_judge',
  title: 'Compare the judge with labels',
  description:
    "Compares the scores of a run with what people say of its answers (labels): confusion table, Cohen's kappa, Krippendorff's alpha, and the share of right answers by labels and judge together with its 95 % interval.",
  input: z.strictObject({ run_id: runId }),
  output: z.object({
    run: z.string(),
    tasks: z.array(z.looseObject({ task: z.string(), metric: z.string(), labelled: z.int(), docs: z.int() })),
    ...cutField,
  }),
  async run({ run_id: id }, { service }) {
    const { run, tasks } = await calibrateJudge(service.store, await startedRun(service, id))
    return { run, tasks: tasks.map(task => calibration.parse(asObject(task))) }
  },
})

const calibration = z.looseObject({ task: z.string(), metric: z.string(), labelled: z.int(), docs: z.int() })
