/**
 * Runs the fake server in a process of its own: `node --import tsx tests/support/fake-openai-main.ts --latency 50 --port 0 --fail
 * 500:0.05:1,reset:0.02:1`. It prints its address, and `GET /stats` returns its counts.
 *
 * Each rule of `--fail` is a fault, the share of bodies that it affects, and how many times it affects each (always, if omitted). `--completions
 * echo --likes blue` returns log-probabilities of prompts, in which that word is the most likely one. `--answers 20` answers 20 requests, and holds
 * the others until `GET /allow/N` allows N more.
 */
import { parseArgs } from 'node:util'
import type { CompletionsKind } from './fake-completions.js'
import { startFakeOpenai, type Fault, type SeenRequest } from './fake-openai.js'

const { values } = parseArgs({
  options: {
    latency: { type: 'string' },
    answers: { type: 'string' },
    port: { type: 'string', default: '0' },
    fail: { type: 'string', default: '' },
    text: { type: 'string' },
    completions: { type: 'string' },
    likes: { type: 'string', default: '' },
  },
})

const rules = values.fail
  .split(',')
  .filter(rule => rule !== '')
  .map(rule => {
    const [name = '', share = '1', times = 'Infinity'] = rule.split(':')
    return { fault: faultOf(name), share: Number(share), times: Number(times) }
  })

function faultOf(name: string): Fault {
  if (!/^\d+$/.test(name)) return name as Fault
  return { status: Number(name), headers: name === '429' ? { 'retry-after': '1' } : {} }
}

/** The share is applied to the body's digest, so each rule affects other bodies, and always the same ones. */
function fault(request: SeenRequest): Fault | undefined {
  return rules.find(({ share, times }, index) => {
    const place = Number.parseInt(request.digest.slice(8 * index, 8 * index + 8), 16) / 2 ** 32
    return place < share && request.before < times
  })?.fault
}

const { text, completions: kind, likes } = values
const completions = kind as CompletionsKind | undefined
const server = await startFakeOpenai({
  fault,
  keepBodies: completions !== undefined,
  ...(completions === undefined
    ? {}
    : { completions: { kind: completions, logprobOf: (token: string) => (token.trim() === likes ? -0.25 : -2) } }),
  port: Number(values.port),
  ...(values.latency === undefined ? {} : { latencyMs: Number(values.latency) }),
  ...(values.answers === undefined ? {} : { answers: Number(values.answers) }),
  ...(text === undefined ? {} : { answer: () => text }),
})
process.stdout.write(`${server.url}\n`)
