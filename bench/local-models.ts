/**
 * Measures a local model's worker processes against bare loops over its engine: `tsx bench/local-models.ts [requests]`. Prints CPU and wall
 * seconds, start subtracted, and the memory of this process before and after. Linux only, because it reads /proc.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { onnxVlm } from '../stages/model/backends/onnx-vlm.js'
import { openEngine } from '../stages/model/backends/onnx-vlm/engine.js'
import type { Model, ModelRequest } from '../stages/model/model.js'
import {
  ask,
  greedy,
  letters,
  likelihood,
  memoryContext,
  picturesOf,
  questions,
  tinyvlm,
} from '../tests/stages/model/backends/onnx-vlm/tinyvlm.js'

const never = new AbortController().signal
const count = Number(process.argv[2] ?? 400)
const { add, context } = memoryContext()
const items = await questions('test')
const messagesOf = (question: (typeof items)[number]) => ask(question.question, picturesOf(question).map(add))
const asked = (input: ModelRequest['input']): ModelRequest => ({ input, generation: {}, sample: 0 })
const questionsAsked = items.slice(0, count).map(question => asked(greedy(messagesOf(question))))
// More questions than a worker keeps pictures, so that a pass of its own encodes its picture, too.
const withChoices = items.filter(question => question.A !== undefined).slice(0, Math.max(100, count / 4))
const choices = withChoices.flatMap(question =>
  letters.map(letter => asked(likelihood(messagesOf(question), ` ${question[letter]!}`))),
)

/** CPU seconds of this process and its children until now. A tick is 10 ms. */
function readCpuSeconds(): number {
  const children = readdirSync('/proc/self/task').flatMap(task =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )
  const ticks = ['self', ...children].map(pid => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, value) => sum + value, 0) / 100
}

async function measure(model: Model, requests: readonly ModelRequest[], lanes: number) {
  await Promise.all(Array.from({ length: 8 }, (_, i) => model.answer(questionsAsked[i]!, never)))
  const [cpu, began] = [readCpuSeconds(), performance.now()]
  let next = 0
  const lane = async () => {
    for (let i = next++; i < requests.length; i = next++) await model.answer(requests[i]!, never)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { cpu: readCpuSeconds() - cpu, wall: (performance.now() - began) / 1000 }
}

const openBare = () => openEngine({ dir: tinyvlm, dtype: 'fp32', threads: 1 }, digest => context.readMedia(digest))

/** A loop without processes, which keeps no prompt: each request is one whole pass. */
async function measureBare(requests: readonly ModelRequest[]) {
  const engine = await openBare()
  const measured = await measure(engine, requests, 1)
  await engine.close()
  return measured
}

async function measureWorkers(requests: readonly ModelRequest[], workers: number) {
  const before = process.memoryUsage().rss
  const model = await onnxVlm.open({ model: tinyvlm, dtype: 'fp32', threads: 1, workers }, context)
  const measured = await measure(model, requests, workers * 4)
  await model.close?.()
  return { ...measured, memory: process.memoryUsage().rss / before }
}

/** The choices of different questions by turns, so that no pass is shared. */
const alone = letters.flatMap((_, letter) => choices.filter((_, i) => i % letters.length === letter))

const show = (name: string, { cpu, wall }: { cpu: number; wall: number }) =>
  console.log(`${name.padEnd(34)} ${cpu.toFixed(2)} s CPU  ${wall.toFixed(2)} s wall`)

const bare = await measureBare(questionsAsked)
show(`bare loop, ${questionsAsked.length} questions`, bare)
const one = await measureWorkers(questionsAsked, 1)
show('workers=1', one)
const two = await measureWorkers(questionsAsked, 2)
show('workers=2', two)
const passes = await measureBare(alone)
show(`bare loop, ${alone.length} choices alone`, passes)
const shared = await measureWorkers(choices, 1)
show('workers=1, choices together', shared)
const sharedByTwo = await measureWorkers(choices, 2)
show('workers=2, choices together', sharedByTwo)
console.log(`workers=1 / bare loop: ${((100 * bare.cpu) / one.cpu).toFixed(0)} % by CPU`)
console.log(`workers=2 / bare loop: ${((100 * bare.cpu) / two.cpu).toFixed(0)} % by CPU`)
console.log(
  `four choices together: ${(passes.cpu / shared.cpu).toFixed(2)} ×, by two workers ${(passes.cpu / sharedByTwo.cpu).toFixed(2)} ×`,
)
console.log(`memory of this process after closing / before: ${one.memory.toFixed(2)}, ${two.memory.toFixed(2)}`)
