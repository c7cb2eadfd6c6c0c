/** A certificate names the judge models of the judgement that it signs, whatever the run was judged by before. */
import { generateKeyPairSync } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluate, exportRun, judge, type EvaluateOptions } from '../../../src/index.js'
import { certificatePath, type Certificate } from '../../../src/evidence/certificate.js'
import { temporaryFolder } from '../../support/store.js'

const fixed = (text: string) => ({ mode: 'fixed', text })
const right = fixed('VERDICT: CORRECT')
const wrong = fixed('VERDICT: INCORRECT')
const choice = (args: typeof right) => `dummy,mode=fixed,text=${args.text}`

async function prepareScene() {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'docs.jsonl'), '{"q":"1","a":"yes"}\n{"q":"2","a":"no"}\n')
  const metrics: Readonly<Record<string, string>> = {
    plain: '{metric: exact_match}',
    graded: '{metric: model_graded, kind: binary, canaries: 0, question: q}',
    mixed: `{metric: model_graded, kind: binary, canaries: 0, question: q}, {metric: model_graded, kind: likert, canaries: 0, question: q, name: likes}`,
    own: `{metric: model_graded, kind: binary, canaries: 0, question: q, judge: "${choice(wrong)}"}`,
  }
  for (const [name, list] of Object.entries(metrics))
    await writeFile(
      join(folder, `${name}.yaml`),
      `task: ${name}\ndataset_path: ./docs.jsonl\ndoc_to_text: q\ndoc_to_target: a\nmetric_list: [${list}]\n`,
    )
  const key = join(folder, 'key.pem')
  await writeFile(key, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const store = join(folder, 'store')
  return {
    store,
    evaluate: (tasks: readonly string[], options: Partial<EvaluateOptions> = {}) =>
      evaluate({ store, model: 'dummy', tasks: tasks.map(name => join(folder, `${name}.yaml`)), ...options }),
    sign: async () => {
      const file = join(folder, 'run.pipeline')
      await exportRun('last', file, { store, sign: key })
      const { judgement } = JSON.parse(await readFile(certificatePath(file), 'utf8')) as Certificate
      return judgement as { readonly number: number; readonly judge?: unknown; readonly judges?: unknown }
    },
  }
}

test('names the judge of a later judgement, and not the one that the run began with', async () => {
  const { store, sign, ...scene } = await prepareScene()
  await scene.evaluate(['graded'], { judgeModel: 'dummy', judgeArgs: right })
  expect(await sign()).toMatchObject({ number: 1, judge: { model: 'dummy', args: right } })
  await judge('last', { store, judgeModel: 'dummy', judgeArgs: wrong })
  expect(await sign()).toMatchObject({ number: 2, judge: { model: 'dummy', args: wrong } })
})

test('names a judge that a judgement added, and none where no judge is asked', async () => {
  const { store, sign, ...scene } = await prepareScene()
  await scene.evaluate(['plain'], { judgeModel: 'dummy', judgeArgs: right })
  expect(Object.keys(await sign())).toEqual(['number', 'tasks', 'scores'])
  await scene.evaluate(['graded'])
  await judge('last', { store, judgeModel: 'dummy', judgeArgs: wrong })
  expect((await sign()).judge).toEqual({ model: 'dummy', args: wrong })
})

test('names the judges of single tasks, of single metrics, of a panel and of a task file', async () => {
  const { sign, ...scene } = await prepareScene()
  await scene.evaluate(['graded', 'own', 'plain'], { judgeFor: { graded: [choice(right), choice(wrong)] } })
  expect(await sign()).toMatchObject({
    judges: [
      { task: 'graded', models: [{ args: right }, { args: wrong }] },
      { task: 'own', metric: 'model_graded', models: [{ model: 'dummy', args: wrong }] },
    ],
  })
  expect(await sign()).not.toHaveProperty('judge')
  await scene.evaluate(['graded', 'plain'], { judgeFor: { graded: choice(right) } })
  expect((await sign()).judge).toEqual({ model: 'dummy', args: right })
})

test('names the judge of each metric if only some have their own', async () => {
  const { sign, ...scene } = await prepareScene()
  await scene.evaluate(['mixed'], { judgeModel: 'dummy', judgeArgs: right, judgeFor: { 'mixed.likes': choice(wrong) } })
  expect(await sign()).toMatchObject({
    judges: [
      { task: 'mixed', models: [{ args: right }] },
      { task: 'mixed', metric: 'likes', models: [{ args: wrong }] },
    ],
  })
})
