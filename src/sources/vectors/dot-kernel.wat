;; Dot products of one int8 vector with many: 16 components at a time by SIMD, summed as int32.
;; Compiled into dot-kernel.ts by `npm run build:kernel`.
(module
  (import "env" "memory" (memory 1))
  ;; `query` and each of the `count` vectors have `dims` bytes, a multiple of 16. The vectors lie one behind the other
  ;; from `vectors`; the results go to `out`, 4 bytes each. |result| <= dims * 127 * 127, so 2^17 dimensions fit.
  (func (export "dots")
    (param $query i32) (param $vectors i32) (param $count i32) (param $dims i32) (param $out i32)
    (local $end i32) (local $q i32) (local $a v128) (local $b v128) (local $sum v128)
    (local.set $end (i32.add (local.get $query) (local.get $dims)))
    (block $done
      (loop $vector
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $q (local.get $query))
        (loop $lanes
          (local.set $a (v128.load (local.get $q)))
          (local.set $b (v128.load (local.get $vectors)))
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.add
              (i32x4.dot_i16x8_s
                (i16x8.extend_low_i8x16_s (local.get $a)) (i16x8.extend_low_i8x16_s (local.get $b)))
              (i32x4.dot_i16x8_s
                (i16x8.extend_high_i8x16_s (local.get $a)) (i16x8.extend_high_i8x16_s (local.get $b))))))
          (local.set $vectors (i32.add (local.get $vectors) (i32.const 16)))
          (local.set $q (i32.add (local.get $q) (i32.const 16)))
          (br_if $lanes (i32.lt_u (local.get $q) (local.get $end))))
        (i32.store (local.get $out)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
            (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $vector)))))
