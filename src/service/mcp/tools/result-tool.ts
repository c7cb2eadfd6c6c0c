/** The tool that reads scores and samples of a run. */
import type { OpenedRun } from '../../../../cache/store.js'
import { z } from 'zod'
import { PipelineError } from '../../../../base/errors/errors.js'
import { isObject, type Json } from '../../../../base/values/canonical-json.js'
import { present } from '../../../../base/values/present.js'
import { without } from '../../../../base/values/without.js'
import { sampleKinds } from '../../../reading/samples/sample-kinds.js'
import { samplePage } from '../../../present/json/sample-page.js'
import type { Service } from '../../service.js'
import { fitValue } from '../fitted.js'
import { foundRun, readStatus } from '../found-run.js'
import { readRunName, resultFields, readResults, runId } from '../run-fields.js'
import { cutField, defineTool } from '../tool.js'

/** A page ends with the sample that reaches this size, in characters; a sample is at most so large. Together with the results they fit into an answer. */
const pageCharacters = 50_000
const sampleCharacters = 20_000

const input = z.strictObject({
  run_id: runId,
  include_samples: z
    .boolean()
    .optional()
    .describe('also give single samples: prompt, response, target, score (default false)'),
  only: z
    .enum(sampleKinds)
    .optional()
    .describe(
      'which samples: wrong, right, unparsed (no answer found in the response), failed (no response), empty, cut (off at the token limit), disputed (judges of a panel differ), labelled or unlabelled (by a person), flipped, improved or worsened (give against), all (default)',
    ),
  against: runId.optional().describe('the run that flipped, improved and worsened compare with'),
  task: z.string().max(300).optional().describe('only samples of this task'),
  docs: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .describe('only samples with these ids or patterns, with commas between'),
  where: z
    .array(z.string().max(1_000))
    .max(50)
    .optional()
    .describe('only samples with these values of a breakdown or of the row, such as ["subject=Art"]'),
  score: z
    .array(z.string().max(1_000))
    .max(50)
    .optional()
    .describe('only samples whose scores are so, such as ["acc<1"]'),
  answer: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('only samples with an answer that contains this regular expression'),
  sample_limit: z.int().min(0).max(1000).optional().describe('maximum number of samples (100)'),
  sample_offset: z.int().min(0).max(100_000).optional().describe('samples to skip; cursor is faster'),
  cursor: z.string().max(100).optional().describe('next_cursor of the page before; then results are left out'),
  include_details: z
    .boolean()
    .optional()
    .describe('also give configuration, versions, throughput and provenance of the run (default false)'),
})

/** The MCP tool that returns the scores of a run. */
export const getRunResult = defineTool({
  name: 'get_run_result',
  title: 'Result of a run',
  description:
    'Gives the scores of a run and, with include_samples, its samples a page at a time, for example only="wrong". Works for a run that is still running, too. One answer has at most 100,000 characters; pictures and other media are named, never included.',
  input,
  output: z.object({
    ...resultFields,
    message: z.string().optional().describe('present if the results are not final'),
    samples: z.array(z.record(z.string(), z.unknown())).optional(),
    next_cursor: z
      .string()
      .nullable()
      .optional()
      .describe('give it as cursor to get the next page of samples; null after the last sample'),
    ...cutField,
  }),
  async run(args, { service }) {
    const evaluation = await foundRun(service, args.run_id)
    const { job, opened } = evaluation
    const status = await readStatus(service, evaluation)
    const isSampled = args.include_samples === true || typeof args.cursor === 'string'
    if (isSampled && opened === undefined)
      throw new PipelineError(
        'usage',
        `run ${args.run_id} has no samples: it is ${status}. get_run_status tells when it has started`,
      )
    const isFollowing = typeof args.cursor === 'string'
    return {
      run_id: job?.id ?? args.run_id,
      status,
      run: readRunName(evaluation),
      results: isFollowing ? null : await readResults(service, evaluation, { isWhole: args.include_details === true }),
      error: job?.error ?? null,
      ...(status !== 'completed' && { message: `The run is not complete: it is ${status}.` }),
      ...(isSampled && opened !== undefined && (await readSamples(service, opened, args))),
    }
  },
})

async function readSamples(
  service: Service,
  opened: OpenedRun,
  { only, against, task, sample_limit: limit, sample_offset: skip, cursor, ...others }: z.output<typeof input>,
) {
  if (limit === 0) return { samples: [], next_cursor: cursor ?? null }
  const other = typeof against === 'string' ? (await foundRun(service, against)).opened : undefined
  const page = await samplePage(service.store, opened, {
    kind: only ?? 'all',
    conditions: present({
      docs: others.docs ?? undefined,
      where: others.where ?? undefined,
      score: others.score ?? undefined,
      answer: others.answer ?? undefined,
    }),
    ...(other && { against: other }),
    limit: limit ?? 100,
    skip: skip ?? 0,
    mostCharacters: pageCharacters,
    shape: agentSample,
    ...(typeof task === 'string' && { task }),
    ...(typeof cursor === 'string' && { after: cursor }),
  })
  return { samples: page.samples.map(sample => ({ ...asRecord(sample) })), next_cursor: page.next }
}

/** Times and bytes of single requests are noise for an agent. */
function agentSample(sample: Json): Json {
  const { requests, judge_calls: calls, ...rest } = asRecord(sample)
  const shorten = (list: Json | undefined): readonly Json[] =>
    (Array.isArray(list) ? (list as readonly Json[]) : []).map(request =>
      without(asRecord(request), 'timing', 'answered_at', 'response_key'),
    )
  const shorter = { ...rest, requests: shorten(requests), ...(calls !== undefined && { judge_calls: shorten(calls) }) }
  const { value, cut } = fitValue(shorter, sampleCharacters)
  return cut.length === 0 ? value : { ...asRecord(value), cut: [...cut] }
}

const asRecord = (value: Json | undefined): Readonly<Record<string, Json>> =>
  isObject(value) ? (value as Readonly<Record<string, Json>>) : {}
