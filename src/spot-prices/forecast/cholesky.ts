import { at, type Numbers } from './numbers.ts';

/**
 * Solves M·X = R for a symmetric, positive definite M by its Cholesky decomposition. Both are row by row: `matrix` has
 * `size` × `size` numbers, `rightSides` `size` × `columns`, and so has the answer. Only the lower half of M is read.
 */
export function solvePositiveDefinite(
  matrix: Numbers,
  size: number,
  rightSides: Numbers,
  columns: number,
): Numbers {
  const lower = decompose(matrix, size);
  const answer = rightSides.slice();
  for (let column = 0; column < columns; column += 1) {
    for (let row = 0; row < size; row += 1) {
      let rest = at(answer, row * columns + column);
      for (let k = 0; k < row; k += 1) rest -= at(lower, row * size + k) * at(answer, k * columns + column);
      answer[row * columns + column] = rest / at(lower, row * size + row);
    }
    for (let row = size - 1; row >= 0; row -= 1) {
      let rest = at(answer, row * columns + column);
      for (let k = row + 1; k < size; k += 1)
        rest -= at(lower, k * size + row) * at(answer, k * columns + column);
      answer[row * columns + column] = rest / at(lower, row * size + row);
    }
  }
  return answer;
}

/** The lower triangle L with L·Lᵀ = M. */
function decompose(matrix: Numbers, size: number): Numbers {
  const lower = new Float64Array(size * size);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let rest = at(matrix, row * size + column);
      for (let k = 0; k < column; k += 1) rest -= at(lower, row * size + k) * at(lower, column * size + k);
      if (row === column && !(rest > 0)) throw new RangeError('The matrix is not positive definite');
      lower[row * size + column] =
        row === column ? Math.sqrt(rest) : rest / at(lower, column * size + column);
    }
  }
  return lower;
}
