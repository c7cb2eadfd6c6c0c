import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { sha256 } from '../../../cache/digest.js'
import { inputKey } from '../../../cache/keys.js'
import { defineBackend } from '../define-backend.js'
import { AttemptError, type ModelAnswer, type ModelRequest } from '../model.js'
import { affectsOutput, outputArgs, transport } from '../backend-args.js'

const failureClasses = ['rate_limited', 'timeout', 'server', 'invalid_request', 'refused'] as const
const permanent: ReadonlySet<string> = new Set(['invalid_request', 'refused'])

/** A failure rule. `server:0.05` fails a twentieth of all requests, `server:0.05:2` only their first two attempts. */
const failRule = z.string().regex(new RegExp(`^(${failureClasses.join('|')}):(0|1|0?\\.\\d+)(:\\d+)?$`), {
  error: `a rule is class:share or class:share:attempts, with class one of ${failureClasses.join(', ')}`,
})

interface FailRule {
  readonly class: (typeof failureClasses)[number]
  readonly share: number
  readonly attempts: number
}

const shape = {
  mode: affectsOutput(
    z
      .enum(['echo', 'fixed', 'choose', 'target'])
      .default('echo')
      .describe(
        "echo: the last text of the request; fixed: `text`; choose: one of `words`, by the request; target: the doc's first target",
      ),
  ),
  text: affectsOutput(z.string().default('').describe('the answer of mode fixed')),
  words: affectsOutput(z.array(z.string()).min(1).default(['yes', 'no']).describe('what mode choose chooses from')),
  latency_ms: transport(z.number().min(0).default(0).describe('how long each answer takes')),
  fail: transport(
    z
      .array(failRule)
      .default([])
      .describe('which share of requests fails: class:share, or class:share:attempts for the first attempts only'),
  ),
  num_concurrent: transport(z.number().int().min(1).optional().describe('requests in flight at once')),
  max_retries: transport(z.number().int().min(0).optional().describe('further attempts after a failed one')),
}

/** Answers without a model. The answer depends only on the request. */
export const dummy = defineBackend({
  id: 'dummy',
  aliases: ['dummy_video_reader'],
  summary: 'deterministic answers without a model, with settable latency and failures, for trying things out',
  args: shape,
  accepts: ['text', 'image', 'audio', 'video', 'file'],
  requests: ['generate_until', 'loglikelihood', 'loglikelihood_rolling'],
  code: { revision: { name: 'dummy', number: 1 }, files: ['stages/model/backends/dummy.ts'] },
  concurrency: 128,
  identify: args => Promise.resolve({ backend: 'dummy', args: outputArgs({ args: shape }, args) }),
  answersTargets: ({ mode }) => mode === 'target',
  open: args => {
    const fails = failures(args.fail.map(parseRule))
    return Promise.resolve({
      async answer(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
        if (args.latency_ms > 0) await sleep(args.latency_ms, undefined, { signal })
        fails(request)
        if (args.mode === 'target') return { body: answerTarget(request) }
        if (request.input.type === 'generate_until')
          return { body: { text: generate(args, request), finishReason: 'stop' } }
        return { body: logLikelihood(request) }
      },
    })
  },
})

function generate(
  args: { mode: 'echo' | 'fixed' | 'choose' | 'target'; text: string; words: readonly string[] },
  request: ModelRequest,
): string {
  if (args.mode === 'fixed') return args.text
  if (args.mode === 'echo') return lastText(request)
  return args.words[Math.floor(share(request, 'answer') * args.words.length)] ?? ''
}

/** @throws AttemptError if the doc has no readable target */
function answerTarget({ input: { target, type } }: ModelRequest): ModelAnswer['body'] {
  if (target === undefined)
    throw new AttemptError('invalid_request', 'dummy: mode=target: the doc has no target that can be read', {
      isRetryable: false,
    })
  if (typeof target === 'string') return { text: target, finishReason: 'stop' }
  if (type === 'generate_until') return { text: String(target), finishReason: 'stop' }
  return { text: '', finishReason: 'stop', logprob: target ? 0 : -10, continuationTokens: 1, isGreedy: target }
}

function lastText({ input }: ModelRequest): string {
  const parts = input.messages.at(-1)?.content ?? []
  const last = parts.findLast(part => part.type === 'text')
  return last?.type === 'text' ? last.text : ''
}

function logLikelihood(request: ModelRequest): ModelAnswer['body'] {
  const text = request.input.continuation ?? lastText(request)
  return {
    text: '',
    finishReason: 'stop',
    logprob: -10 * share(request, 'logprob'),
    continuationTokens: Math.max(1, text.trim().split(/\s+/).length),
    isGreedy: share(request, 'greedy') < 0.5,
  }
}

/** Computes a number in [0, 1) from the request and `purpose`. */
function share({ input, sample }: ModelRequest, purpose: string): number {
  const digest = sha256(`${purpose}:${sample}:${inputKey(input).key}`)
  return Number.parseInt(digest.slice(7, 19), 16) / 2 ** 48
}

function parseRule(rule: string): FailRule {
  const [name, portion, attempts] = rule.split(':')
  return {
    class: failureClasses.find(failureClass => failureClass === name) ?? 'server',
    share: Number(portion),
    attempts: attempts === undefined ? Infinity : Number(attempts),
  }
}

/** Throws for the requests that the rules select, and counts the attempts of these requests. */
function failures(rules: readonly FailRule[]): (request: ModelRequest) => void {
  const tried = new Map<string, number>()
  return request => {
    for (const [index, rule] of rules.entries()) {
      const chance = share(request, `fail ${index}`)
      if (chance >= rule.share) continue
      const id = `${index}:${chance}`
      const attempt = (tried.get(id) ?? 0) + 1
      tried.set(id, attempt)
      if (attempt > rule.attempts) continue
      throw new AttemptError(rule.class, `dummy: told to fail as ${rule.class}`, {
        isRetryable: !permanent.has(rule.class),
      })
    }
  }
}
