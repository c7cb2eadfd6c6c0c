import { whiteSpaceClass as space } from '../../../../base/white-space.js'

export const leadingSpace = new RegExp(`^[${space}]+`)
export const trailingSpace = new RegExp(`[${space}]+$`)
export const someSpace = new RegExp(`[${space}]+`)
export const onlySpace = new RegExp(`^[${space}]+$`)
