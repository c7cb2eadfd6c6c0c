import { spawn, type ChildProcess } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { messageOf } from '../../../../base/errors/errors.js'
import { withTemporaryFolder } from '../../../../base/files/temporary-folder.js'
import { defineMetric, scored } from '../../define/define-metric.js'
import { captionShape, captionText } from './caption-words.js'
import { jarResource, javaShape, takePrograms, type JavaCommand } from './java-program.js'

const spiceJar = jarResource('SPICE', 'SPICE_JAR', 'spice-1.0.jar')

/**
 * SPICE of captions, in [0, 1]: the F-score of the objects, attributes and relations in a caption and its
 * references. The aggregate is the mean, as in the reference. Higher is better.
 *
 * It needs Java and `spice-1.0.jar` with its `lib` folder, which must contain the Stanford CoreNLP 3.6.0 models.
 * They are not part of this program; `jar` is their path. The Python package pycocoevalcap contains the jar, and
 * downloads the models when SPICE is first used there. One Java process with up to 8 GB scores a thousand docs.
 *
 * Source: Anderson et al. (2016), SPICE 1.0, as pycocoevalcap 1.2 calls it.
 */
export const spice = defineMetric({
  id: 'spice',
  args: z.strictObject({
    ...captionShape,
    ...javaShape(spiceJar),
  }),
  resources: [spiceJar],
  higherIsBetter: true,
  range: [0, 1],
  aggregation: 'mean',
  async judge({ text, references }, { jar, java, ...options }, context) {
    if (references.length === 0) throw new Error('SPICE compares with references, and this doc has none')
    const caption = (sentence: string): string => captionText(sentence, options)
    const name = `spice ${JSON.stringify([java, jar])}`
    const program = takePrograms(context).find(name, env => new SpiceProgram({ java, jar, env }))
    return scored(await program.score({ caption: caption(text), references: references.map(caption) }))
  },
})

/** A caption and its references. */
interface Question {
  readonly caption: string
  readonly references: readonly string[]
}

/** The program's output. A caption without any object, attribute or relation has no F-score. */
const results = z.array(
  z.object({
    image_id: z.number(),
    scores: z.object({ All: z.object({ f: z.union([z.number(), z.null()]) }) }),
  }),
)

/**
 * Runs the reference's Java program. It needs half a minute to load its parser, so captions that are requested
 * together are sent in one file.
 */
class SpiceProgram {
  readonly #java: string
  readonly #jar: string
  readonly #env: JavaCommand['env']
  #child: ChildProcess | undefined
  #questions: Question[] = []
  #answers: Promise<readonly (number | null)[]> | undefined

  constructor({ java, jar, env }: JavaCommand) {
    this.#java = java
    this.#env = env
    this.#jar = resolve(jar)
  }

  /** Ends the program if it runs. */
  close(): void {
    this.#child?.kill()
  }

  /** The F-score of one caption, in [0, 1]. @throws Error if Java can't be started or returns no score. */
  async score(question: Question): Promise<number> {
    const index = this.#questions.push(question) - 1
    this.#answers ??= this.#askTogether()
    const f = (await this.#answers)[index]
    if (typeof f !== 'number') throw new Error('SPICE finds nothing to compare in the caption and its references')
    return f
  }

  async #askTogether(): Promise<readonly (number | null)[]> {
    // All captions of one page of docs are requested before the turn ends.
    await nextTurn()
    const questions = this.#questions
    this.#questions = []
    this.#answers = undefined
    return withTemporaryFolder('spice', folder => this.#run(questions, folder))
  }

  async #run(questions: readonly Question[], folder: string): Promise<readonly (number | null)[]> {
    const [captionsPath, scoresPath] = [join(folder, 'captions.json'), join(folder, 'scores.json')]
    const entries = questions.map(({ caption, references }, id) => ({ image_id: id, test: caption, refs: references }))
    await writeFile(captionsPath, JSON.stringify(entries))
    await this.#start(['-Xmx8G', '-jar', this.#jar, captionsPath, '-out', scoresPath, '-subset', '-silent'])
    const scores = new Map<number, number | null>()
    for (const { image_id: id, scores: said } of results.parse(JSON.parse(await readFile(scoresPath, 'utf8'))))
      scores.set(id, said.All.f)
    return questions.map((_, id) => scores.get(id) ?? null)
  }

  /** Starts the program in its own folder, where it looks for its models. */
  async #start(args: readonly string[]): Promise<void> {
    const programName = `SPICE (${this.#java} -jar ${this.#jar})`
    let complaint = ''
    const child = spawn(this.#java, args, {
      ...{ cwd: dirname(this.#jar), env: this.#env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child = child
    child.stderr.on('data', (bytes: Buffer) => (complaint = (complaint + bytes.toString()).slice(-4000)))
    await new Promise<void>((done, fail) => {
      child.on('error', error => fail(new Error(`${programName}: ${messageOf(error)}`)))
      child.on('close', code => {
        if (code === 0) done()
        else fail(new Error(`${programName}: it ended with ${String(code)}. ${causeIn(complaint)}`.trim()))
      })
    })
  }
}

/** The last cause in a stack trace, which is the original one. */
function causeIn(complaint: string): string {
  const cause = complaint.match(/^Caused by: .*$/gm)?.at(-1) ?? complaint
  const isParser = cause.includes('edu.stanford.nlp')
  return isParser
    ? `${cause} (the Stanford CoreNLP 3.6.0 jars are not in the lib folder beside it)`
    : cause.slice(0, 500)
}
