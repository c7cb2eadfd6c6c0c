import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sha256 } from '../../cache/digest.js'
import { nameObject } from '../../cache/media/s3/object-names.js'
import { runCli } from '../support/cli.js'
import { startFakeOpenai } from '../support/fake-openai.js'
import { fakeKeys, type S3Fault } from '../support/fake-s3.js'
import { picture, yaml } from '../support/own-task.js'
import { startCluster, withoutPostgres, type Cluster } from '../support/postgres.js'
import { s3Variables, useFakeS3 } from '../support/s3-media.js'
import { temporaryFolder } from '../support/store.js'

const pictures = 12

async function writeTask(cwd: string): Promise<readonly Buffer[]> {
  const made = await Promise.all(Array.from({ length: pictures }, (_, index) => picture(index * 20)))
  await mkdir(join(cwd, 'mytask'))
  for (const [index, bytes] of made.entries()) await writeFile(join(cwd, `mytask/${index}.png`), bytes)
  const docs = made.map((_, id) => ({ id, question: `Picture ${id}?`, image: `${id}.png`, answer: 'Blue' }))
  await writeFile(join(cwd, 'mytask/questions.jsonl'), docs.map(doc => JSON.stringify(doc)).join('\n'))
  await writeFile(join(cwd, 'mytask/mytask.yaml'), yaml)
  return made
}

/** Every fifth call fails, each time in another way. The choice follows the call, so that it does not depend on their order. */
function failSome(): (call: { readonly method: string; readonly target: string }) => S3Fault | undefined {
  const seen = new Map<string, number>()
  const faults: readonly S3Fault[] = [
    { type: 'status', status: 503, code: 'SlowDown' },
    { type: 'status', status: 500 },
    { type: 'page', status: 502 },
    { type: 'lost-reply' },
    { type: 'cut', after: 40 },
    { type: 'flip', at: 21 },
    { type: 'delay', ms: 30 },
  ]
  return ({ method, target }) => {
    const call = `${method} ${target}`
    const attempt = (seen.get(call) ?? 0) + 1
    seen.set(call, attempt)
    // A digest cannot detect a flipped byte in a listing or a marker.
    const isMedium = /\/[0-9a-f]{62}/.test(target)
    const choice = createHash('sha256').update(`${call} ${attempt}`).digest()
    return isMedium && attempt < 3 && choice[0]! < 100 ? faults[choice[1]! % faults.length] : undefined
  }
}

describe.skipIf(withoutPostgres !== '')(`media in object storage${withoutPostgres}`, () => {
  let cluster: Cluster
  const fake = useFakeS3()
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster.stop())

  test('pictures pass through a bucket that fails, and every command finds them', async () => {
    const server = await startFakeOpenai()
    onTestFinished(() => server.close())
    const [cwd, elsewhere] = [await temporaryFolder(), await temporaryFolder()]
    const made = await writeTask(cwd)
    const store = cluster.address('evals').replace(/media=[^&]*/, `media=s3://evals/m&endpoint=${fake().url}`)
    const all: string[] = []
    const call = async (args: readonly string[], options: { readonly cwd?: string; readonly code?: number } = {}) => {
      const end = await runCli(args, { cwd: options.cwd ?? cwd, env: s3Variables })
      all.push(end.stdout, end.stderr)
      expect(end).toMatchObject({ code: options.code ?? 0 })
      return end.stdout + end.stderr
    }
    const evaluate = (model: string, where = store): readonly string[] => [
      ...['eval', '--tasks', join(cwd, 'mytask'), '--store', where, '--model', 'openai'],
      ...['--model-args', `model=${model},base_url=${server.url},api_key=k`],
    ]
    fake().fault = failSome()
    await call(evaluate('m'))
    const arrived = server.seen.map(({ text }) => {
      const [, base64 = ''] = /image\/png;base64,([^"]*)"/.exec(text) ?? []
      return sha256(Buffer.from(base64, 'base64'))
    })
    expect(arrived.sort()).toEqual(made.map(bytes => sha256(bytes)).sort())
    expect(fake().objects.size).toBe(pictures + 1)

    // Another machine has no copies.
    const away = { cwd: elsewhere }
    const page = join(elsewhere, 'page.html')
    await call(['report', 'last', '--html', page, '--store', store], away)
    expect((await readFile(page, 'utf8')).match(/<[^>]* id="media-sha256/g)).toHaveLength(pictures)
    await call(['export', 'last', '--output', 'run.pipeline', '--media', '--store', store], away)
    await call(['import', 'run.pipeline', '--store', 'folder'], away)
    expect(await call(['cache', 'verify', '--store', 'folder'], away)).toContain('no damage')
    const dump = await call(['report', 'last', '--dump', '--store', store], away)
    expect(await call(['report', 'last', '--dump', '--store', 'folder'], away)).toBe(dump)
    expect(await call(['cache', 'verify', '--store', store], away)).toContain('no damage')
    expect(await call(['cache', '--store', store], away)).toContain(`${pictures}`)

    const key = `m/${nameObject(sha256(made[3]!))}`
    fake().objects.set(key, Buffer.from(made[4]!))
    expect(await call(['cache', 'verify', '--store', store], { ...away, code: 1 })).toContain(sha256(made[3]!))
    // The machine with a copy can still send it. A machine without one fails this doc, and no other.
    await call(evaluate('second'))
    const third = await temporaryFolder()
    const failed = await call(evaluate('third'), { cwd: third, code: 2 })
    expect(failed).toContain('media')
    const failures = await call(['report', 'last', '--samples', 'failed', '--store', store], { cwd: third })
    expect(failures).toContain(`s3://evals/${key} has other bytes`)

    expect(all.join('\n')).not.toContain(fakeKeys.secret)
    expect(all.join('\n')).not.toContain(fakeKeys.id)
    const rows = cluster.sql('SELECT asked || provenance FROM evals.run')
    expect(rows).not.toContain(fakeKeys.secret)
  })

  test('the server downloads pictures from presigned addresses, which are in no row, file or message', async () => {
    const server = await startFakeOpenai()
    onTestFinished(() => server.close())
    const cwd = await temporaryFolder()
    await writeTask(cwd)
    const store = cluster.address('signed').replace(/media=[^&]*/, `media=s3://evals/signed&endpoint=${fake().url}`)
    const evaluate = (more: string) =>
      runCli(
        [
          ...['eval', '--tasks', join(cwd, 'mytask'), '--store', store, '--model', 'openai', '--json'],
          ...['--model-args', `model=m,base_url=${server.url},api_key=k${more}`],
        ],
        { cwd, env: s3Variables },
      )
    const refused = await evaluate(',media_presigned=https')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('has no TLS') as string })
    const asked = await evaluate(',media_presigned=any')
    expect(asked).toMatchObject({ code: 0 })
    const urls = server.seen.map(
      ({ text }) => new URL(JSON.parse(`"${/"url":"([^"]*)"/.exec(text)?.[1] ?? ''}"`) as string),
    )
    expect(urls).toHaveLength(pictures)
    for (const { origin, searchParams } of urls) {
      expect(origin).toBe(fake().url)
      expect(Number(searchParams.get('X-Amz-Expires'))).toBeGreaterThan(600)
    }
    // The same requests as bytes have the same keys.
    expect(await evaluate('')).toMatchObject({ code: 0 })
    expect(server.seen).toHaveLength(pictures)
    const exported = await runCli(['export', 'last', '--output', 'run.pipeline', '--store', store], {
      cwd,
      env: s3Variables,
    })
    expect(exported).toMatchObject({ code: 0 })
    const rows = cluster.sql(
      "SELECT (SELECT string_agg(asked || provenance, '') FROM signed.run) || (SELECT string_agg(preimage, '') FROM signed.instance) || (SELECT string_agg(body || meta, '') FROM signed.response)",
    )
    const files = await readdir(cwd, { recursive: true, withFileTypes: true })
    const contents = await Promise.all(
      files.filter(one => one.isFile()).map(one => readFile(join(one.parentPath, one.name), 'latin1')),
    )
    for (const text of [rows, ...contents, asked.stdout, asked.stderr, refused.stderr, exported.stderr])
      expect(text).not.toContain('X-Amz-')
  })
})
