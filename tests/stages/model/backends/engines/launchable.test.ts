import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refuseMissingProgram } from '../../../../../stages/model/backends/engines/launchable.js'
import { temporaryFolder } from '../../../../support/store.js'

async function folders(mode: number) {
  const folder = await temporaryFolder()
  const bin = join(folder, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'engine'), '')
  await chmod(join(bin, 'engine'), mode)
  return {
    bin,
    look: (program: string) =>
      refuseMissingProgram(program, { name: 'e', hint: 'Get it', env: { PATH: `${folder}:${bin}` } }),
  }
}

test('finds a program on the PATH or at its path', async () => {
  const { bin, look } = await folders(0o755)
  await expect(look('engine')).resolves.toBeUndefined()
  await expect(look(join(bin, 'engine'))).resolves.toBeUndefined()
})

test('reports a missing program, and a folder with its name', async () => {
  const { bin, look } = await folders(0o755)
  await expect(look('other')).rejects.toThrow('e cannot be started: there is no program "other" on the PATH. Get it')
  await expect(look('bin')).rejects.toThrow('there is no program "bin" on the PATH')
  await expect(look(join(bin, 'other'))).rejects.toThrow(`there is no program "${join(bin, 'other')}". Get it`)
})
