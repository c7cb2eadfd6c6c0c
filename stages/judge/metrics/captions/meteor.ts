import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { sumFold } from '../../aggregations/sum-fold.js'
import { defineAggregation } from '../../define/define-aggregation.js'
import { defineMetric, scored } from '../../define/define-metric.js'
import { captionShape, captionText } from './caption-words.js'
import { jarResource, javaShape, takePrograms, type JavaCommand } from './java-program.js'

/**
 * METEOR's counts for a caption and its best reference: 23 numbers, which are added up over captions. They are the
 * lengths of answer and reference and the number of their function words. For each way to match (word, stem,
 * synonym, paraphrase) follow the content words of both sides, then the function words of both. The last are chunks
 * and matched words of both sides.
 */
type MeteorStatistics = readonly number[]

const statisticsLength = 23

/** Sets the chunks of an answer that equals its reference to 0, since the penalty is for fragmented matches. */
export function withoutWholeChunk(statistics: MeteorStatistics): MeteorStatistics {
  const [length, otherLength, chunks, own, other] = [0, 1, 20, 21, 22].map(i => statistics[i])
  const isWhole = own === length && other === otherLength && chunks === 1
  return isWhole ? statistics.with(20, 0) : statistics
}

/** Parameters for English, tuned to rank translations like people do. */
const [alpha, beta, gamma, delta] = [0.85, 0.2, 0.6, 0.75]
const weights = [1, 0.6, 0.8, 0.6]

/**
 * METEOR of one caption's statistics or of their sums, in [0, 1].
 *
 * Source: Denkowski and Lavie (2014), as METEOR 1.5 with `-l en`.
 */
export function meteorScore(statistics: ArrayLike<number>): number {
  const at = (i: number): number => statistics[i] ?? 0
  const weighCounts = (content: number, functional: number): number => delta * content + (1 - delta) * functional
  const share = (side: 0 | 1): number => {
    const [length, functional] = [at(side), at(2 + side)]
    const matches = weights.map((weight, i) => weight * weighCounts(at(4 + 4 * i + side), at(6 + 4 * i + side)))
    return length === 0
      ? 0
      : matches.reduce((sum, match) => sum + match, 0) / weighCounts(length - functional, functional)
  }
  const [precision, recall] = [share(0), share(1)]
  if (precision === 0 || recall === 0) return 0
  const mean = 1 / ((1 - alpha) / precision + alpha / recall)
  const fragmentation = at(20) / ((at(21) + at(22)) / 2)
  return mean * (1 - gamma * fragmentation ** beta)
}

const meteorJar = jarResource('METEOR', 'METEOR_JAR', 'meteor-1.5.jar')

/**
 * METEOR of captions: words matched by form, stem, synonym or paraphrase, and how well they are in order. A doc's
 * value is METEOR's counts and its own `score`; the aggregate is the corpus's. Both are in [0, 1]. Higher is
 * better.
 *
 * It needs Java and `meteor-1.5.jar` with its `data` folder, which are not part of this program. The Python package
 * pycocoevalcap contains them, and `jar` is their path. One Java process with up to 2 GB serves all docs, until the plan ends.
 *
 * Source: Denkowski and Lavie (2014), METEOR 1.5, as pycocoevalcap 1.2 calls it.
 */
export const meteor = defineMetric({
  id: 'meteor',
  args: z.strictObject({
    ...captionShape,
    ...javaShape(meteorJar),
  }),
  resources: [meteorJar],
  higherIsBetter: true,
  aggregation: 'meteor',
  async judge({ text, references }, { jar, java, ...options }, context) {
    if (references.length === 0) throw new Error('METEOR compares with references, and this doc has none')
    const caption = (sentence: string): string => captionText(sentence, options)
    const name = `meteor ${JSON.stringify([java, jar])}`
    const program = takePrograms(context).find(name, env => new MeteorProcess({ java, jar, env }))
    const statistics = await program.statistics(caption(text), references.map(caption))
    return scored({ score: meteorScore(statistics), statistics })
  },
})

const value = z.object({ statistics: z.array(z.number()).length(statisticsLength) })

/**
 * METEOR of all docs as one corpus, in [0, 1], from the counts of the metric `meteor`.
 *
 * Source: METEOR 1.5, `EVAL`.
 */
export const meteorAggregation = defineAggregation({
  id: 'meteor',
  of: 'folded',
  args: z.object({}),
  start: () => sumFold({ read: entry => value.parse(entry).statistics, combine: meteorScore }),
})

interface PendingScore {
  resolve(line: string): void
  reject(error: Error): void
}

/**
 * Runs the reference's Java program, which aligns answers with references. It starts on first use and answers one
 * question at a time.
 */
export class MeteorProcess {
  readonly #command: JavaCommand
  readonly #waiting: PendingScore[] = []
  #child: ChildProcessWithoutNullStreams | undefined
  #complaint = ''

  constructor(command: JavaCommand) {
    this.#command = command
  }

  /** Asks for the counts of an answer. @throws Error if Java can't be started, exits, or returns something else. */
  async statistics(answer: string, references: readonly string[]): Promise<MeteorStatistics> {
    const texts = [...references, answer].map(text =>
      text
        .replace(/\|\|\|/g, '')
        .replace(/[\r\n]/g, ' ')
        .replaceAll('  ', ' '),
    )
    const line = await this.#ask(`SCORE ||| ${texts.join(' ||| ')}`)
    const statistics = line.trim().split(/\s+/).map(Number)
    if (statistics.length !== statisticsLength || !statistics.every(Number.isFinite)) {
      throw new Error(`METEOR says ${JSON.stringify(line.slice(0, 200))} where its statistics are due`)
    }
    return withoutWholeChunk(statistics)
  }

  /** Ends the program. A later question starts it again. */
  close(): void {
    this.#child?.kill()
  }

  #ask(line: string): Promise<string> {
    const child = (this.#child ??= this.#start())
    keepAlive(child, true)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      child.stdin.write(`${line}\n`)
    })
  }

  #start(): ChildProcessWithoutNullStreams {
    const { java, jar, env } = this.#command
    const child = spawn(java, ['-Xmx2G', '-jar', jar, '-', '-', '-stdio', '-l', 'en', '-norm'], { env })
    createInterface({ input: child.stdout }).on('line', line => {
      this.#waiting.shift()?.resolve(line)
      if (this.#waiting.length === 0) keepAlive(child, false)
    })
    child.stderr.on('data', (bytes: Buffer) => (this.#complaint = (this.#complaint + bytes.toString()).slice(-500)))
    child.stdin.on('error', error => this.#fail(error.message))
    child.on('error', error => this.#fail(error.message))
    child.on('close', code => this.#fail(`it ended with ${String(code)}. ${this.#complaint}`.trim()))
    return child
  }

  #fail(reason: string): void {
    this.#child = undefined
    const error = new Error(`METEOR (${this.#command.java} -jar ${this.#command.jar}): ${reason}`)
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error)
  }
}

/**
 * Keeps Node running only while a question is pending. The program itself waits for questions until this process
 * ends.
 */
function keepAlive(child: ChildProcessWithoutNullStreams, isNeeded: boolean): void {
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) {
    const { ref, unref } = handle as Partial<Record<'ref' | 'unref', () => unknown>>
    ;(isNeeded ? ref : unref)?.call(handle)
  }
}
