import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './cli.js'

const run = promisify(execFile)

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
}

/**
 * Installs the package in a folder as `npm install` would: the files of the tarball of `npm pack`, and the dependencies of package.json.
 * Dependencies are links, so no registry is needed.
 */
export async function installPackage(folder: string): Promise<void> {
  const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: root })
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }]
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, 'pipeline'), { recursive: true })
  await run('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', join(modules, 'pipeline')])
  const { dependencies } = JSON.parse(await readFile(join(modules, 'pipeline/package.json'), 'utf8')) as Manifest
  for (const name of [...Object.keys(dependencies), '@types/node']) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n')
}
