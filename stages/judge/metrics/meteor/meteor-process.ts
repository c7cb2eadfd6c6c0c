import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'
import { statisticsLength, withoutWholeChunk, type MeteorStatistics } from './meteor-score.js'

interface PendingScore {
  resolve(line: string): void
  reject(error: Error): void
}

/** The reference's program, which aligns answers with references: started when it is first asked, one question after the other. */
export class MeteorProcess {
  readonly #command: { readonly java: string; readonly jar: string }
  readonly #waiting: PendingScore[] = []
  #child: ChildProcessWithoutNullStreams | undefined
  #complaint = ''

  constructor(command: { readonly java: string; readonly jar: string }) {
    this.#command = command
  }

  /** @throws Error where Java can't be started, or ends, or says something else. */
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

  /** Ends the program; another question would start it again. */
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
    const { java, jar } = this.#command
    const child = spawn(java, ['-Xmx2G', '-jar', jar, '-', '-', '-stdio', '-l', 'en', '-norm'])
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

/** The program waits for questions until we end: it must keep us from ending only while there is one. */
function keepAlive(child: ChildProcessWithoutNullStreams, isNeeded: boolean): void {
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) {
    const { ref, unref } = handle as Partial<Record<'ref' | 'unref', () => unknown>>
    ;(isNeeded ? ref : unref)?.call(handle)
  }
}
