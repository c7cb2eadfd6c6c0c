import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { meteorAggregation as meteorOfCorpus } from '../../../../stages/judge/metrics/captions/meteor.js'
import { meteor } from '../../../../stages/judge/metrics/captions/meteor.js'
import { HelperPrograms } from '../../../../base/processes/helper-programs.js'
import { noJudge } from '../../../../stages/judge/define/judge-model.js'
import { MeteorProcess } from '../../../../stages/judge/metrics/captions/meteor.js'
import { meteorScore, withoutWholeChunk } from '../../../../stages/judge/metrics/captions/meteor.js'
import { goldenRows } from '../../../support/golden.js'
import { recordOf } from '../../../support/judged.js'

interface Row {
  readonly id: string
  readonly params: { readonly meteor: boolean }
  readonly expected: {
    readonly images: readonly string[]
    readonly tokenized: Readonly<Record<'gts' | 'res', Readonly<Record<string, readonly string[]>>>>
    readonly meteor: number
    readonly meteor_per_image: readonly number[]
  }
}

const folder = mkdtempSync(join(tmpdir(), 'meteor-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A program in place of Java: it answers each line with what `body`, an expression, makes of `line`. */
function standIn(name: string, body: string): string {
  const path = join(folder, name)
  const loop = `require('node:readline').createInterface({ input: process.stdin }).on('line', line => console.log(${body}))`
  writeFileSync(path, `#!${process.execPath}\n${loop}\n`)
  chmodSync(path, 0o755)
  return path
}

function corpusOf(statistics: readonly (readonly number[])[]): number | null {
  if (meteorOfCorpus.of !== 'folded') throw new Error('METEOR is no fold')
  const fold = meteorOfCorpus.start({})
  for (const one of statistics) fold.add({ statistics: one })
  return fold.finish().value
}

const jar = process.env['METEOR_JAR'] ?? ''

test.skipIf(!existsSync(jar))(
  'METEOR of caption corpora equals pycocoevalcap (needs Java and METEOR_JAR, the path of meteor-1.5.jar)',
  { timeout: 120_000 },
  async () => {
    const java = new MeteorProcess({ java: 'java', jar })
    const rows = goldenRows<Row>('metrics/cococap.jsonl.gz').filter(row => row.params.meteor)
    expect(rows.length).toBeGreaterThanOrEqual(5)
    for (const { id, expected } of rows) {
      const { gts, res } = expected.tokenized
      const statistics = await Promise.all(expected.images.map(image => java.statistics(res[image]![0]!, gts[image]!)))
      expect(Math.abs(corpusOf(statistics)! - expected.meteor), id).toBeLessThan(1e-9)
      statistics.forEach((one, i) => {
        expect(Math.abs(meteorScore(one) - expected.meteor_per_image[i]!), `${id} ${i}`).toBeLessThan(1e-9)
      })
    }
    java.close()
  },
)

describe('the score', () => {
  // "a dog run fast" against "a dog runs", counted by METEOR 1.5.
  const counted = [4, 3, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 3]

  test('combines weighted matches and the number of chunks', () => {
    const [precision, recall] = [(0.75 * 1 + 0.25 + 0.6 * 0.75) / 2.5, (0.75 * 1 + 0.25 + 0.6 * 0.75) / 1.75]
    const mean = 1 / (0.15 / precision + 0.85 / recall)
    expect(meteorScore(counted)).toBeCloseTo(mean * (1 - 0.6 * (1 / 3) ** 0.2), 12)
  })

  test('is 1 for an answer equal to the reference, and 0 without any match', () => {
    const same = [2, 2, 1, 1, 1, 1, 1, 1, ...new Array<number>(12).fill(0), 1, 2, 2]
    expect(meteorScore(withoutWholeChunk(same))).toBe(1)
    expect(meteorScore(new Array<number>(23).fill(0))).toBe(0)
  })

  test('of a corpus is the score of the summed statistics', () => {
    expect(corpusOf([counted, counted])).toBe(meteorScore(counted.map(one => one * 2)))
  })
})

describe('the process', () => {
  const zeros = new Array<number>(23).fill(0).join(' ')

  test('gets one line per caption, and its replies come in order', async () => {
    const java = standIn('counts', `line.split(' ||| ').length + ' ' + '${zeros}'.slice(2)`)
    const process = new MeteorProcess({ java, jar: 'meteor.jar' })
    const asked = await Promise.all([
      process.statistics('a ||| b\nc', ['one']),
      process.statistics('a', ['one', 'two']),
      process.statistics('a', ['one', 'two', 'three']),
    ])
    expect(asked.map(([parts]) => parts)).toEqual([3, 4, 5])
    process.close()
  })

  test('that is missing or replies something else is an error', async () => {
    const missing = new MeteorProcess({ java: join(folder, 'no-java'), jar: 'meteor.jar' })
    await expect(missing.statistics('a', ['b'])).rejects.toThrow('no-java')
    const other = new MeteorProcess({ java: standIn('talks', `'hello'`), jar: 'meteor.jar' })
    await expect(other.statistics('a', ['b'])).rejects.toThrow('"hello" where its statistics are due')
    other.close()
  })

  test('that ends is an error with its output, and the next caption starts it again', async () => {
    const path = join(folder, 'ends')
    writeFileSync(path, '#!/bin/sh\necho "Unable to access jarfile" >&2\nread line\nexit 1\n')
    chmodSync(path, 0o755)
    const process = new MeteorProcess({ java: path, jar: 'gone.jar' })
    for (const caption of ['a', 'b']) {
      await expect(process.statistics(caption, ['c'])).rejects.toThrow('it ended with 1. Unable to access jarfile')
    }
  })

  test('serves the metric, which names what is missing', async () => {
    const args = meteor.args.parse({ jar: 'meteor.jar', java: standIn('zeros', `'${zeros}'`) })
    const programs = new HelperPrograms({})
    const verdict = await meteor.judge(
      { text: 'A dog.', references: ['a cat'], record: recordOf(''), bodies: [] },
      args,
      { ask: noJudge, programs },
    )
    programs.close()
    expect(verdict).toMatchObject({ type: 'scored', value: { score: 0 } })
    expect(() => meteor.args.parse({})).toThrow('METEOR runs in Java: give the path of meteor-1.5.jar')
  })
})
