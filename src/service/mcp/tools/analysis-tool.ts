/** The tool that analyses stored runs in a job. */
import { z } from 'zod'
import { PipelineError } from '../../../../base/errors/errors.js'
import { mistakeLines } from '../../../../base/errors/schema-mistakes.js'
import { without } from '../../../../base/values/without.js'
import { present } from '../../../../base/values/present.js'
import { ofClient } from '../../client-wording.js'
import { analysisSchema, type Analysis } from '../../jobs/analysis/analysis.js'
import { submitAnalysis } from '../../jobs/analysis/submit-analysis.js'
import { resolveReference } from '../found-run.js'
import { runId, statusField } from '../run-fields.js'
import { cutField, defineTool } from '../tool.js'
import { waitReporting } from '../wait-reporting.js'

const waitSeconds = 90

const input = z.strictObject({
  kind: z
    .enum(['stability', 'blame', 'repro', 'recheck'])
    .describe(
      'stability: how far repeated answers agree; blame: which part of the difference of two runs comes from what; repro: the command line of a run, and what differs now; recheck: whether the model still gives the same answers (sends requests)',
    ),
  run_id: runId.optional().describe('the run; not for blame'),
  a: runId.optional().describe('blame: the run to compare with'),
  b: runId.optional().describe('blame: the run whose difference is explained'),
  others: z
    .array(runId)
    .max(20)
    .optional()
    .describe('stability: further runs of the same tasks, to diagnose docs with'),
  k: z.int().min(1).optional().describe('recheck: the number of docs to send again (50)'),
  seed: z.int().min(0).optional().describe('recheck: the seed of the choice of docs (0)'),
  tolerance: z.number().gt(0).lt(1).optional().describe('recheck: the share of equal answers that is expected (0.9)'),
  job_id: z.uuid().optional().describe('wait on for the analysis that an earlier call of this tool submitted'),
  wait_timeout_s: z.number().min(0).max(3600).optional().describe('the seconds to wait for the result (90)'),
})

/** The MCP tool that submits an analysis and waits for it. */
export const analyseRunsTool = defineTool({
  name: 'analyse_runs',
  title: 'Analyse stored runs',
  description:
    'Measures the stability of a run, splits the difference of two runs by its causes, tells how to repeat a run, or asks a part of a run again. It is a job of a worker. If the result is not there in time, call the tool again with the same arguments and the job_id.',
  scope: 'submit',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input,
  output: z.object({
    job_id: z.string(),
    status: statusField,
    result: z
      .looseObject({})
      .nullable()
      .describe('the JSON of the command with the kind as its name; null without one'),
    error: z.string().nullable(),
    ...cutField,
  }),
  async run(args, { service, caller, signal, report }) {
    const id = args.job_id ?? (await submit())
    const ms = (args.wait_timeout_s ?? waitSeconds) * 1000
    const job = await waitReporting(service, id, { ms, signal, ...(report && { report }) })
    if (job?.request['analysis'] === undefined) throw new PipelineError('usage', `job_id: there is no analysis "${id}"`)
    return { job_id: job.id, status: job.status, result: job.result ?? null, error: job.error ?? null }

    async function submit(): Promise<string> {
      const analysis = await nameRuns(readAnalysis(args), run => resolveReference(service, run))
      const { job: submitted } = await submitAnalysis(service, analysis, { submitter: caller.token })
      return submitted.id
    }
  },
})

/** @throws PipelineError (usage) if the arguments do not fit the kind */
function readAnalysis({ run_id: run, ...args }: z.output<typeof input>): Analysis {
  const analysis = present({ ...without(args, 'job_id', 'wait_timeout_s'), run })
  const parsed = analysisSchema.safeParse(analysis)
  if (parsed.success) return parsed.data
  throw new PipelineError(
    'usage',
    mistakeLines(parsed.error.issues, analysis, {
      ...ofClient,
      whole: 'the arguments',
      unknown: 'this kind has no such argument',
    }),
  )
}

/** Agents name runs by the ids of their jobs, too. */
async function nameRuns(analysis: Analysis, name: (run: string) => Promise<string>): Promise<Analysis> {
  if (analysis.kind === 'blame') return { ...analysis, a: await name(analysis.a), b: await name(analysis.b) }
  const run = await name(analysis.run)
  if (analysis.kind !== 'stability' || analysis.others === undefined) return { ...analysis, run }
  return { ...analysis, run, others: await Promise.all(analysis.others.map(name)) }
}
