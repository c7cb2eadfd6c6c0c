/** A disk of a few megabytes, which tests fill. It is a tmpfs, so that root may mount it. */
import { spawnSync } from 'node:child_process'
import { expect, onTestFinished } from 'vitest'

/** Whether a disk of that size can be mounted here. @returns why not */
export function mountSmallDisk(size: string): string | undefined {
  if (process.getuid?.() !== 0) return 'skipped: mounting needs root'
  const probe = spawnSync('sh', [
    '-c',
    `d=$(mktemp -d) && mount -t tmpfs -o size=${size} tmpfs "$d" && umount "$d" && rmdir "$d"`,
  ])
  return probe.status === 0 ? undefined : 'skipped: mounting is not allowed here'
}

export function mount(folder: string, size: string): void {
  run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
  onTestFinished(() => run('umount', [folder]))
}

export const grow = (folder: string, size: string): void => run('mount', ['-o', `remount,size=${size}`, folder])

export function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  expect({ command, status, stderr }).toMatchObject({ status: 0 })
}
