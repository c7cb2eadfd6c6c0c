import sharp from 'sharp'

/** Pixels of a label's side. */
export const labelSide = 61

/**
 * "[1]" to "[7]" in black on white squares, side by side, as a PNG: as Pillow 13.0.0 draws them in Arial of 40 pixels, 10 from the left top,
 * so that no font is needed.
 */
const strip = [
  'iVBORw0KGgoAAAANSUhEUgAAAasAAAA9CAAAAAA2MhlbAAAHpklEQVR42u2ce1SVVRrGfx8gF1HCG2oW3mocXYNIrTAGJVstmxRlrMmVgzp5YwUjRo7hTJM3',
  'VFwSM0ihoAjKeMNlWJboeEsRMdG8ESg042JBYKIVoCK3OJz5Azic0vDb+8BhtWY/f337Yz/7fc9+vnd/77s352hGFH4hsFFToLRSUFoprRSUVgpKK6WVgtJK',
  'QWmltFJQWikorZRWCkorBaWV0kpBaaVgqVaHtCasNb8ZqPVrvspq/vOSB470E/Kt6Enu3Rwe9VtWKEEuWe7nZt/f+29XZCw3weCraf8QJVfbauZIF7Vc9v4L',
  'gxxdhs/NFHO7VLsPsQ8g2z1MzE9SZR6BHyKi6wFu3Di15o0YB1FyVANQVvZF1PS4HpIP4YrPJUi5jZY894aYlVVAXUHBlolb3ay/Bl6eKTNqnX9kvekTxD93',
  'T4hc/4fIhpbrnV5lcp/r5BoZ1mVLprJhxuKqluuD475rf63ui6tTY8xbl16829oYYwS0tkZrIYcdNb97dtaHIuQl+81uFk/JshMhN6N8RqOE2+Tc9ycBcshu',
  's7v5wWkSbptg7/MActtxtWOM1ONxORHwTrlWXfvVukeBtGMC5MIYYPLHRbUVR14Czm6T8WBuKZJx5WtsxSQR7qEkYFhiYU1R+nhg73n91MeM5lgJbBwtuAZW',
  'hcyslvrIyUYIz359qJPDr97K9QY2CZDjDRD76ZSBDq7j/x0O/EvCgfh9dJegGXPBW3aFehd4+ULQYMeB/keigO2S46Qvh7mzxd5XjclPbgTnERLmDoBHVHP4',
  '9vzIGT4TIB8E77Dm6zWD4Ly4/bxFsF7C72tV8lplX4RnP3RuaoT/Bk7LjfPNLCPDPhDMLRbMK4OhWT7i5u4Vwe9MK+0Af6gQiM+rRuNZ09t0LNQJ52Y102oJ',
  'DZCYpxzktUoDu622zQ0t12g8LzfOnO+x2dpVX25hwm2wXRDZVcKc849n1x2QzYVrYKBwub7wCh7RtXKvq95DJD09Cv6/tjzX234YFviI5+yTv1zX1XLrfA2P',
  'dJOj3jsO40VJH2/CabcjcnH1DLl/ftKpl9fiK2LU6isSnt6PykXQd6VwfTX5y09HtINS3D4E4+SoVYHlOIYLkkrnwTo5zy/DqNBRCddqyy9He4YIReZ/DOAJ',
  '5+Z7uLiMeFO6Tlv9Lax10VtfmfBaO1VwEXfkxqrLT4+/gW3qUDFa4/RyXnlDytPyUljfUk8aNuYcdNXPLQLcb8/fCZCfv2FunIOMB0Vx4Pk6wlq1E/bHgoe4',
  'VpV9GgA8EnwFiasyeTwJ2bDCrPQ/M2O/ppt7C9B88lsemM1XDzvLhFU9rNZk95gsRcZrRuwSxK0UNm0zOeUI5ginV2G7U3IPMQcgILW45s7FFb2AAykCKz0w',
  'O9/MjyAJB4q3gffPF+AdrFX6hBqI8hUnloyaOt23C+fme30lFI6BBt4di7RWPY9/Ms3dsbvX8rzRwGr96Wsd8Bm2c05W1hUmDAFSD4s78MEPsJhO0ipuSi2E',
  '/EWC+ftLe3ZklQRBwQu3BGhBX+O7TNbbFKPx++ebr/ul94bCS/pfkwAux5P9HrEfHJwzEVgrbL96Cwx5uXO0qg9+0wChG6QH6Ju4Gq7/VT8hMQ3XXbbt4nzv',
  'MOCk7u72ACl+TY1uewbAqTuiJvdUQohNp2hV6rcJtFVxmgVj/P1p2FWpt3f+Qtjs3k7uvwhc1927OzDcFBPOwWC4IFwHg11bR1Adp1Xm02fBadcSiwbRAqE+',
  'W2/vvdUwtfk4tQcQrmnaPlnTA4AK3b37AGbbDc8CNwUNlmXAxL5tdOiwnD0lqAEe3/eUhcMMBEroDNQALrp7DwbMSioX4J6gwQON8CqdEFcxsxvg+QuWSiXw',
  'ZLc3CoD+unsPt4HC1ua3gKugwYPQZVInaLVpERB2pI8484ymaVtbm0eFZswiHNc0bUVrM615KdOHbiPhROvB7AlAcCfXmAHePayv1elQsE2MlVlgR9pBjOn/',
  'Lb7YCza6jymWmJ2uVgDRRqNxim7LnhpsqWlpndsBPUfr93sS1JuqhZtJ0FdwTzKvHH6L1bWqntWATWqQFNd5AuSFGJoaFwMMMM7NOnHV6zko+VNdU+N8gAGC',
  'BHbrZ9lAQnTTL7t8F3AbAgXz32zA1/paRV6DyKmS5LeBpJGJBdV3z4T6lIG2BithIZA2LDav6m52qO9N6CdQ2TF0JrB43J7r9cXrPc+B01uC1i/xsLjqiDyw',
  'Kh545x3zW/99QjfbL2gzXG3dKV862lpaBbzyERQvNE1NstC+4j8ziiEzs6UZIVrn5ULPPlaPK/3F6wOxYbJ5KyzCeqnfdvOdRJttE8WW0Azz05s5b4saL2w6',
  'QbeyVicso3fZF2F6TzyWGmvFNL3rsfAupiQ884+C7EGfT2+5dHovSXS3pvHGQ7XqiDXwGwv5NsuCk49dLXdwe2bCNHur1lT274VtOZFf4dj/qVf9xS277Vi0',
  '+2hpRfcRL83rJ0y+Y7RcqyTxg7uTFs+Z24/fdjJwlfuxvQFLl1pg1MsrqgP9Vd/p+eVAaaW0UlBaKa3MMPanXxBsRZamaW2noorckWQVV2oNVGh/aOo3v1Vc',
  'KSitlFYKSisFpdX/Jf4HA41ekZebaTYAAAAASUVORK5CYII=',
].join('')

const labels = 7

/** The grey values of the label of a picture, the first of which is number 1, row by row. */
export async function orderLabel(number: number): Promise<Uint8Array> {
  if (number < 1 || number > labels)
    throw new Error(`there are labels for ${labels} pictures, and none for a picture ${number}`)
  const place = { left: (number - 1) * labelSide, top: 0, width: labelSide, height: labelSide }
  return sharp(Buffer.from(strip, 'base64')).extract(place).toColourspace('b-w').raw().toBuffer()
}
