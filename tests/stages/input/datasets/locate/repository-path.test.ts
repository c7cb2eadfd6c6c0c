import { expect, test } from 'vitest'
import { fromRepository } from '../../../../../stages/input/datasets/locate/repository-path.js'
import { temporaryFolder } from '../../temp-folder.js'

const folder = temporaryFolder()

test("maps a path from the root of lmms-eval's repository to the task's folder, also in a copy", () => {
  const path = 'lmms_eval/tasks/tau/data/a.jsonl'
  expect(fromRepository(path, '/repo/lmms_eval/tasks/tau')).toBe('/repo/lmms_eval/tasks/tau/data/a.jsonl')
  expect(fromRepository(path, '/copies/tau/variants')).toBe('/copies/tau/data/a.jsonl')
  expect(fromRepository(path, '/repo/lmms_eval/tasks/other')).toBe('/repo/lmms_eval/tasks/tau/data/a.jsonl')
})

test('keeps any other path, and one that exists below the folder', async () => {
  expect(fromRepository('data/a.jsonl', '/repo/lmms_eval/tasks/tau')).toBe('data/a.jsonl')
  expect(fromRepository('lmms_eval/tasks/tau/a.jsonl', '/copies')).toBe('lmms_eval/tasks/tau/a.jsonl')
  await folder.write('lmms_eval/tasks/tau/a.jsonl', '{}')
  const own = folder.path('')
  expect(fromRepository('lmms_eval/tasks/tau/a.jsonl', own)).toBe('lmms_eval/tasks/tau/a.jsonl')
})
