-- Since 0026 no function calls it, and no released version calls it itself.
DROP FUNCTION extend_hold_2;
