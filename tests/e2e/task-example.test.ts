import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, runCli } from '../support/cli.js'
import { documentedFiles, writeFiles } from '../support/documented-files.js'
import { picture, results } from '../support/own-task.js'
import { temporaryFolder } from '../support/store.js'

/** What docs/tasks/example.md shows, with its pictures. */
async function documentedTask(): Promise<string> {
  const folder = await temporaryFolder()
  await writeFiles(folder, await documentedFiles(join(root, 'docs/tasks/example.md')))
  await mkdir(join(folder, 'gates/img'))
  for (const [index, name] of ['mill', 'barn', 'pier'].entries())
    await writeFile(join(folder, `gates/img/${name}.png`), await picture(40 * index))
  return folder
}

test('the task in docs/tasks/example.md is validated, evaluated, and judged again with another scorer', async () => {
  const folder = await documentedTask()
  const run = (line: string) => runCli(line.split(' '), { cwd: folder })

  const validated = await run('tasks validate ./gates --docs 3')
  expect(validated, validated.stderr).toMatchObject({ code: 0 })
  expect(validated.stdout).toMatch(/near: perfect 1\.000, wrong 0\.000/)

  const evaluated = await run('eval --model dummy --model-args mode=fixed,text=2 --tasks ./gates --json')
  expect(evaluated, evaluated.stderr).toMatchObject({ code: 0 })
  expect(results(evaluated).tasks).toMatchObject({
    gates: { near: { value: 2 / 3, n: 3 }, worst_kind: { value: 0.5 } },
  })

  const utils = join(folder, 'gates/utils.ts')
  await writeFile(utils, (await readFile(utils, 'utf8')).replace('<= 1', '<= 0'))
  const judged = await run('judge last')
  expect(judged, judged.stderr).toMatchObject({ code: 0 })
  expect(judged.stdout).toMatch(/near +0\.667 → 0\.333/)
})

test("reports errors of a task's function with their line", async () => {
  const folder = await documentedTask()
  const utils = join(folder, 'gates/utils.ts')
  await writeFile(utils, (await readFile(utils, 'utf8')).replace("String(doc['kind'])", "doc['sort'].trim()"))
  const judged = await runCli('eval --model dummy --tasks ./gates'.split(' '), { cwd: folder })
  expect(judged.code).toBe(3)
  expect(judged.stderr).toContain("Cannot read properties of undefined (reading 'trim') (utils.ts:12:28)")
})

test('tasks validate checks the data that `data_files` names', async () => {
  const folder = await temporaryFolder()
  const yaml = `task: near
dataset_path: csv
test_split: test
dataset_kwargs: {data_files: {test: near.csv}}
doc_to_text: "{{question}} {{unit}}"
doc_to_target: answer
`
  await writeFile(join(folder, 'near.yaml'), yaml)
  await writeFile(join(folder, 'near.csv'), 'question,answer\nHow many?,007\n')
  const validate = () => runCli(['tasks', 'validate', '.', '--docs', '1'], { cwd: folder })
  const refused = await validate()
  expect(refused.code).toBe(1)
  expect(refused.stdout).toMatch(/near\.yaml:5:14 {2}doc_to_text: dataset column "unit" is not there/)
  await writeFile(join(folder, 'near.csv'), 'question,answer,unit\nHow many?,007,m\n')
  expect((await validate()).stdout).toMatch(/How many\? m\n {2}target 7\n/)
})
