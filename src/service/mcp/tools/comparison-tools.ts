/** Tools that look at two runs. */
import { z } from 'zod'
import { compareRuns } from '../../../reading/comparing/compare-runs.js'
import { leaderboardJson } from '../../../present/json/leaderboard-json.js'
import { listedModel } from '../../../present/text/results/run-header.js'
import { readLeaderboard } from '../../../reading/leaderboard/read-leaderboard.js'
import { asObject } from '../../http/json.js'
import { whyMissJson } from '../../../present/json/why-miss-json.js'
import { compareHints } from '../compare-hints.js'
import { resolveReference } from '../found-run.js'
import { runId } from '../run-fields.js'
import { cutField, defineTool } from '../tool.js'

const pair = z.strictObject({
  a: runId.describe('the run to compare with, such as a baseline: a run_id, or the name of a run'),
  b: runId.describe('the run that is compared: a run_id, or the name of a run'),
})

const metric = z.looseObject({
  task: z.string(),
  metric: z.string(),
  n: z.int().describe('docs with a score in both runs'),
  a: z.number().describe('the mean of run a'),
  b: z.number().describe('the mean of run b'),
  difference: z.number().describe('b − a'),
  interval: z.array(z.number()).optional().describe('the 95 % interval of the difference'),
  p: z.number().optional(),
  improved: z.array(z.string()).describe('docs on which b is better'),
  worsened: z.array(z.string()).describe('docs on which b is worse'),
  verdict: z.enum(['better', 'worse', 'equivalent', 'undecided', 'same']).describe('what the difference says about b'),
})

/** The MCP tool that compares two runs. */
export const compareRunsTool = defineTool({
  name: 'compare_runs',
  title: 'Compare two runs',
  description:
    'Compares run b with run a doc by doc, for each metric that both have: difference with 95 % interval, p value, changed docs, and a verdict that says whether b is better, worse, the same, or whether it is undecided.',
  input: pair,
  output: z.object({ a: z.string(), b: z.string(), metrics: z.array(metric), ...cutField }),
  async run({ a, b }, { service }) {
    const { store } = service
    const compared = await compareRuns(
      { store, reference: await resolveReference(service, a) },
      { store, reference: await resolveReference(service, b) },
      { hints: compareHints },
    )
    return { a: compared.a, b: compared.b, metrics: compared.metrics.map(row => metric.parse(asObject(row))) }
  },
})

const part = z.string().max(300).optional()

/** The MCP tool that shows all models and tasks of the store. */
export const leaderboardTool = defineTool({
  name: 'leaderboard',
  title: 'Models and tasks',
  description:
    'Shows the scores of all judged runs, a row for each metric of a task and a cell for each model, with 95 % intervals. A cell is marked `best` if it is better than each other one by the paired comparison, and `tied` if it is the best or not shown to be worse than it.',
  input: z.strictObject({
    tag: part.describe('only runs with this tag'),
    task: part.describe('a pattern with *, or a part of the name of a task'),
    model: part.describe('a pattern with *, or a part of the name of a model'),
  }),
  output: z.object({
    models: z.array(z.looseObject({ label: z.string() })),
    left_out: z.int().describe('further models, which have only older runs'),
    rows: z.array(z.looseObject({ task: z.string(), metric: z.string() })),
    ...cutField,
  }),
  async run(choice, { service }) {
    const { models, left_out, rows } = leaderboardJson(await readLeaderboard(service.store, choice, listedModel))
    return { left_out, models: models.map(model => ({ ...model })), rows: rows.map(row => ({ ...row })) }
  },
})

/** The MCP tool that names the fields in which the requests of two runs differ. */
export const whyMiss = defineTool({
  name: 'why_miss',
  title: 'Why requests differ',
  description:
    'Tells in which fields the requests of two runs differ, such as a prompt or a generation setting. Such a difference is why answers of run a were not used again for run b.',
  input: pair,
  output: z.object({
    shared: z.int().describe('docs that both runs have requests for'),
    differing: z.int().describe('how many of their requests differ'),
    reasons: z
      .array(
        z.looseObject({
          path: z.string().describe('the field that differs'),
          requests: z.int(),
          example: z.string().describe('task/doc of a pair that differs there'),
        }),
      )
      .describe('most frequent first, with the values before (run a) and after (run b)'),
    ...cutField,
  }),
  async run({ a, b }, { service }) {
    const report = await whyMissJson(
      service.store,
      await resolveReference(service, a),
      await resolveReference(service, b),
    )
    return missReport.parse(report)
  },
})

const missReport = z.looseObject({
  shared: z.int(),
  differing: z.int(),
  reasons: z.array(z.looseObject({ path: z.string(), requests: z.int(), example: z.string() })),
})
