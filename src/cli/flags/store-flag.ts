import { resolve } from 'node:path'
import { shownPath } from '../../../base/files/shown-path.js'
import { shellWord } from '../../../base/text/shell-word.js'
import { isServerAddress, shownAddress } from '../../../base/text/server-address.js'
import { surroundings } from '../../config/eval-settings.js'

/** ` --store DIR` for suggested commands, if they would use another store without it; else empty. It holds no password. */
export function storeFlag(dir: string, env: Readonly<Record<string, string | undefined>>): string {
  const usual = surroundings({}, {}, env).store
  if (isServerAddress(dir))
    return shownAddress(usual) === shownAddress(dir) ? '' : ` --store ${shellWord(shownPath(dir))}`
  return resolve(usual) === resolve(dir) ? '' : ` --store ${shellWord(shownPath(dir))}`
}
