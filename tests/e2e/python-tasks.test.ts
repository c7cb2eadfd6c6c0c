import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasPython, python } from '../support/python-pool.js'
import { runCli, type Ended } from '../support/cli.js'
import { pythonTask as taskOfFiles } from '../support/python-task.js'
import { temporaryFolder } from '../support/store.js'

const yaml = `task: counted
dataset_path: data.jsonl
test_split: test
process_docs: !function utils.process_docs
doc_to_text: !function utils.doc_to_text
doc_to_target: answer
process_results: !function utils.process_results
metric_list:
  - metric: right
    aggregation: !function utils.share
    higher_is_better: true
lmms_eval_specific_kwargs:
  default:
    post_prompt: " Answer with a number."
`

const code = `import random
import helper


def process_docs(dataset):
    return dataset.filter(lambda doc: doc["n"] != 3)


def doc_to_text(doc, lmms_eval_specific_kwargs=None):
    return f"{doc['n']} and {doc['weight']}, draw {random.randint(0, 10**9)}.{lmms_eval_specific_kwargs['post_prompt']}"


def process_results(doc, results):
    return {"right": {"n": doc["n"], "score": helper.score(results[0], str(doc["weight"]))}}


def share(results, args):
    assert args.limit is None
    return sum(result["score"] for result in results) / len(results)
`

interface Folder {
  readonly folder: string
  readonly run: (...words: readonly string[]) => Promise<Ended>
}

async function pythonTask(): Promise<Folder> {
  const folder = await temporaryFolder()
  const rows = [1, 2, 3, 4].map(n => JSON.stringify({ n, answer: `${n}` }).replace('}', `,"weight":${n}.0}`))
  await writeFile(join(folder, 'data.jsonl'), `${rows.join('\n')}\n`)
  await writeFile(join(folder, 'counted.yaml'), yaml)
  await writeFile(join(folder, 'utils.py'), `import sys, os\nsys.path.insert(0, os.path.dirname(__file__))\n${code}`)
  await writeFile(join(folder, 'helper.py'), 'def score(said, target):\n    return 1.0 if target in said else 0.0\n')
  const env = { PIPELINE_STORE: join(folder, 'store'), PIPELINE_PYTHON: python }
  return { folder, run: (...words) => runCli(words, { cwd: folder, env }) }
}

const line = ['eval', '--model', 'dummy', '--model-args', 'mode=fixed,text=2.0', '--tasks', 'counted.yaml', '--json']

interface Results {
  readonly tasks: Readonly<Record<string, Readonly<Record<string, { readonly value: number }>>>>
}
const textOf = ({ stdout }: Ended): string => stdout

describe.skipIf(!hasPython())('a task folder with functions in Python (needs python3)', () => {
  test('is evaluated, rescored after a change of an imported file, and copied to another store', async () => {
    const { folder, run } = await pythonTask()
    const first = await run(...line)
    expect(first).toMatchObject({ code: 0 })
    // Doc 3 is filtered out. Only 2.0 is right, so that whole numbers of the data are known to be floating-point.
    expect(textOf(first)).toMatch(/0\.3333/)

    await writeFile(join(folder, 'helper.py'), 'def score(said, target):\n    return 1.0\n')
    const again = await run('judge', 'last', '--json')
    expect(again).toMatchObject({ code: 0 })
    expect((JSON.parse(textOf(again)) as Results).tasks).toBeDefined()
    expect(textOf(again)).toMatch(/"value": ?1\b/)

    const bundle = join(folder, 'run.pipeline')
    expect(await run('export', 'last', '--output', bundle)).toMatchObject({ code: 0 })
    await mkdir(join(folder, 'elsewhere'))
    for (const file of ['utils.py', 'helper.py', 'counted.yaml', 'data.jsonl']) await rm(join(folder, file))
    const other = ['judge', bundle, '--store', join(folder, 'elsewhere/store'), '--json']
    const refused = await run(...other)
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('--trust-bundle')
    const trusted = await run(...other, '--trust-bundle')
    expect(trusted).toMatchObject({ code: 0 })
    // The code in the bundle is that of the first scoring.
    expect(textOf(trusted)).toMatch(/0\.3333/)
  })

  test('names a doc whose code fails or hangs, and scores the others', async () => {
    const { folder, run } = await pythonTask()
    const broken =
      'def score(said, target):\n    if target == "2.0":\n        import os; os._exit(9)\n    return {}["gone"]\n'
    await writeFile(join(folder, 'helper.py'), broken)
    const ended = await run(...line)
    expect(textOf(ended) + ended.stderr).toMatch(/helper\.py:4: KeyError: 'gone'/)
    expect(textOf(ended) + ended.stderr).toMatch(/exited with code 9/)
  })

  test('is reported by tasks validate if its values change between calls', async () => {
    const { folder, run } = await pythonTask()
    const text = await readFile(join(folder, 'utils.py'), 'utf8')
    const changed = text
      .replace('draw {random.randint(0, 10**9)}', 'at {time.perf_counter_ns()}')
      .replace('import random', 'import time')
    const steady = await run('tasks', 'validate', 'counted.yaml', '--docs', '2')
    expect(steady.stdout + steady.stderr).not.toContain('two calls')
    await writeFile(join(folder, 'utils.py'), changed)
    const moving = await run('tasks', 'validate', 'counted.yaml', '--docs', '2')
    expect(moving).toMatchObject({ code: 1 })
    expect(moving.stdout + moving.stderr).toMatch(/doc 0 of counted: two calls of its code give another prompt/)
  })

  test('tasks validate does not call a task valid if none of its docs can be built', async () => {
    const keys =
      'test_split: test\ndoc_to_text: !function utils.question\ndoc_to_target: answer\nmetric_list: [{metric: exact_match}]\n'
    const { run } = await taskOfFiles({
      'here/utils.py': 'def question(doc): return doc["missing"]\n',
      'here/here.yaml': `task: here\ndataset_path: ./data\n${keys}`,
      'here/data/test.jsonl': '{"answer": "a"}\n',
      'far/utils.py': 'def question(doc): return doc["options"]["A"]\n',
      'far/far.yaml': `task: far\ndataset_path: somebody/far\n${keys}`,
    })
    const here = await run('tasks', 'validate', 'here')
    expect(here).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/doc 0 of here: .*KeyError: 'missing'/) as string,
    })
    const far = await run('tasks', 'validate', 'far')
    expect(far).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^far: the files can be read, but no doc was built/) as string,
    })
    expect(far.stderr).toContain('far: no doc could be made up for its functions: utils.py:1: TypeError')
  })

  test('an aggregation calls the judge model, whose replies are stored; without one it has no value, with the reason', async () => {
    const { folder, run } = await pythonTask()
    const text = await readFile(join(folder, 'utils.py'), 'utf8')
    const asking = `def share(results, args):
    from openai import OpenAI
    said = [OpenAI().chat.completions.create(model="j", messages=[{"role": "user", "content": str(r["n"])}]) for r in results]
    return sum(float(one.choices[0].message.content) for one in said)
`
    await writeFile(join(folder, 'utils.py'), text.replace(/def share[^]*/, asking))
    const alone = await run(...line)
    expect(alone.code).toBe(3)
    expect(textOf(alone)).toMatch(/"error": "aggregation share: [^"]*JudgeError/)
    const judge = ['--judge-model', 'dummy', '--judge-args', 'mode=fixed,text=<think>9</think>0.5']
    const judged = await run(...line, ...judge)
    expect(judged).toMatchObject({ code: 0 })
    expect((JSON.parse(textOf(judged)) as Results).tasks['counted']?.['right']?.value).toBe(1.5)
    expect(judged.stderr).toMatch(/judge dummy: 3 asked/)
    expect((await run('judge', 'last', ...judge)).stderr).toMatch(/judge dummy: 0 asked, 3 from the store/)
  })

  test('reports a missing Python, with the option that names another', async () => {
    const { run } = await pythonTask()
    const ended = await run(...line, '--python', '/no/such/python')
    expect(ended.code).not.toBe(0)
    expect(ended.stderr).toMatch(/\/no\/such\/python[^]*--python/)
  })
})
