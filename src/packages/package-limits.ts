/** How large a package may be; an operator may only lower these (06:175-177). */
import { type Either, left, right } from '../contract/fp.js';

export interface PackageLimits {
  /** Bytes as they come over the network. */
  readonly downloadBytes: number;
  /** Bytes of the whole archive stream after decompression: headers, padding and trailing bytes count. */
  readonly expandedBytes: number;
  /** Files and folders of the archive. */
  readonly entries: number;
}

export const DEFAULT_PACKAGE_LIMITS: PackageLimits = {
  downloadBytes: 512 * 1_048_576,
  expandedBytes: 512 * 1_048_576,
  entries: 10_000,
};

/** Compressed bytes of a backend image, unless the operator says otherwise (04:377-382). */
export const DEFAULT_BACKEND_BYTES = 8 * 1_073_741_824;

/** Those of a backend: images of machine-learning runtimes hold many files and grow much when they are unpacked. */
export const backendLimits = (downloadBytes: number): PackageLimits => ({
  downloadBytes,
  expandedBytes: 6 * downloadBytes,
  entries: 300_000,
});

/** The defaults with `lower` in place. Left names the limit that is not a whole number from 1 up to its default; nothing is clamped. */
export function packageLimits(lower: Partial<PackageLimits>): Either<string, PackageLimits> {
  for (const key of Object.keys(DEFAULT_PACKAGE_LIMITS) as (keyof PackageLimits)[]) {
    const value = lower[key];
    if (value === undefined) continue;
    if (!Number.isSafeInteger(value) || value < 1 || value > DEFAULT_PACKAGE_LIMITS[key])
      return left(`${key} must be a whole number from 1 to ${DEFAULT_PACKAGE_LIMITS[key]}`);
  }
  return right({ ...DEFAULT_PACKAGE_LIMITS, ...lower });
}
