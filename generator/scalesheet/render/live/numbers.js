/* How a quantity prints: the same rule as numbers.py, for figures that change in the page.
 *
 * A rule is what a quantity's format depends on besides its values: {decimals, digits, percent,
 * approximate, stated, sort}, with defaults left out. A format is {decimals, percent, approximate,
 * scientific, least}. A cell is the result of a computation: {value, low, high}, {value} for words,
 * or {reason}.
 */
"use strict";

scalesheet.numbers = (() => {
  const MOST_DECIMALS = 9;
  const MOST_DERIVED_DECIMALS = 6;
  const SIGNIFICANT = 3;
  const MOST_KNOWN = 50000;
  const TO_1970 = 25569; // days since the first day of spreadsheets
  const LAST_DAY = 2958465; // in their calendar
  const ROUNDING_SLACK = 1e-12; // as in language/arithmetic.py

  // ---------------------------------------------------------------- decimals

  const known = new Map(); // cached decimals: most numbers of a plan are requested again

  function decimal(size) {
    if (known.size > MOST_KNOWN) known.clear();
    if (!known.has(size)) known.set(size, decimalOf(size));
    return known.get(size);
  }

  /** The 15 digits that a spreadsheet shows (exact halves round to even, as in Python): the
   *  digits without trailing zeros, and the power of ten of the first. */
  function decimalOf(size) {
    let text = size.toExponential(14);
    if (/50e/.test(size.toExponential(16))) {
      const exact = size.toExponential(100);
      const half = /^50*e/.test(exact.slice(16));
      if (half && Number(exact[15]) % 2 === 0)
        text = exact.slice(0, 16) + exact.slice(exact.indexOf("e"));
    }
    const [mantissa, power] = text.split("e");
    const digits = mantissa.replace(".", "").replace(/0+$/, "");
    return digits === "" ? { digits: "0", power: 0, zero: true } : { digits, power: Number(power) };
  }

  /** `1234.50`: a decimal rounded half away from zero, with fixed decimals. */
  function fixed({ digits, power }, decimals) {
    const kept = power + 1 + decimals;
    let whole = "0";
    if (kept >= digits.length) whole = digits + "0".repeat(kept - digits.length);
    else if (kept >= 0)
      whole = String(Number(digits.slice(0, kept)) + (digits[kept] >= "5" ? 1 : 0));
    whole = whole.padStart(decimals + 1, "0");
    if (decimals === 0) return whole;
    return `${whole.slice(0, -decimals)}.${whole.slice(-decimals)}`;
  }

  const grouped = (text) => text.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));

  const hundredfold = (one) => (one.zero ? one : { digits: one.digits, power: one.power + 2 });

  // ---------------------------------------------------------------- formats

  const needed = ({ digits, power }) => Math.max(0, digits.length - 1 - power);

  /** Absolute values of all numbers and ends, without zeros and duplicates; ascending. */
  function magnitudes(cells) {
    const found = new Set();
    for (const cell of cells) {
      for (const x of [cell.value, cell.low, cell.high]) {
        if (typeof x === "number" && x !== 0) found.add(Math.abs(x));
      }
    }
    return Array.from(found)
      .sort((a, b) => a - b)
      .map(decimal);
  }

  /** Apply a rule to cells. */
  function formatBy(rule, cells) {
    const all = magnitudes(cells);
    const numbers = rule.percent ? all.map(hundredfold) : all;
    const plainly = { percent: false, approximate: false, scientific: false };
    const dressed = { percent: !!rule.percent, approximate: !!rule.approximate, scientific: false };
    if (rule.sort === "date") return { ...plainly, date: true, decimals: 0 };
    if (rule.decimals !== undefined) return { ...dressed, decimals: rule.decimals };
    if (rule.digits !== undefined) {
      return { ...dressed, decimals: Math.max(0, decimalsFor(numbers, rule.digits)) };
    }
    if (!rule.percent && needsExponent(numbers, rule.stated)) {
      const decimals = rule.stated
        ? Math.min(Math.max(...numbers.map((n) => n.digits.length)) - 1, MOST_DERIVED_DECIMALS)
        : 2;
      return { ...dressed, decimals, scientific: true };
    }
    return { ...dressed, decimals: bySort(rule, numbers), ...least(rule) };
  }

  /** The decimals that every number keeps; without `least`, all of them. Stated numbers keep their
   *  own digits, but a stated price has at least its cents. */
  const least = ({ sort, stated }) =>
    stated && sort !== "money" ? { least: sort === "price" ? 2 : 0 } : {};

  /** Remove trailing zeros, except in decimals that every number keeps. */
  function shortened(body, { decimals, least }) {
    for (let n = decimals; n > least && body.endsWith("0"); n -= 1) body = body.slice(0, -1);
    return body.replace(/\.$/, "");
  }

  /** Decimals at which the largest number has this many significant digits. */
  const decimalsFor = (numbers, digits) => {
    if (!numbers.length) return 0;
    const { digits: shown, power } = numbers[numbers.length - 1];
    const carries = /^9+$/.test(shown.slice(0, digits)) && shown[digits] >= "5";
    return digits - 1 - power - (carries ? 1 : 0);
  };

  /** Decimals at which the smallest number does not print as 0, up to `most`. */
  const oneDigitOfLeast = (numbers, most) =>
    Math.max(0, Math.min(numbers.length ? -numbers[0].power : 0, most));

  const decimalsNeeded = (numbers) => numbers.reduce((most, n) => Math.max(most, needed(n)), 0);

  function needsExponent(numbers, stated) {
    if (!numbers.length) return false;
    if (numbers[numbers.length - 1].power >= 15) return true;
    return numbers[numbers.length - 1].power < -3 && (!stated || decimalsNeeded(numbers) > 4);
  }

  function bySort({ sort, stated }, numbers) {
    const most = decimalsNeeded(numbers);
    const power = numbers.length ? numbers[numbers.length - 1].power : -Infinity;
    if (sort === "money") return power >= 2 || most === 0 ? 0 : 2;
    if (sort === "price") {
      return most > 4
        ? Math.min(4, Math.max(2, decimalsFor(numbers, SIGNIFICANT)))
        : Math.max(2, most);
    }
    if (stated) return Math.min(most, MOST_DECIMALS);
    if (sort === "whole" || (sort === "counted" && power >= 1)) return 0;
    const significant = Math.min(most, Math.max(0, decimalsFor(numbers, SIGNIFICANT)));
    if (sort === "hours") {
      const usual = power >= 3 ? 0 : power >= 0 ? 1 : significant;
      return Math.min(most, Math.max(usual, oneDigitOfLeast(numbers, usual + 2)));
    }
    const least = oneDigitOfLeast(numbers, significant + 2);
    return Math.min(most, MOST_DERIVED_DECIMALS, Math.max(significant, least));
  }

  // ---------------------------------------------------------------- text

  /** `1,234.5`, `35%`, `~342`, `3.12e21`. */
  function number(value, format) {
    if (format.date && value >= 0 && value < LAST_DAY) return dayText(value);
    const exact = decimal(Math.abs(value));
    const mark = format.approximate ? "~" : "";
    const sign = value < 0 ? "-" : "";
    if (format.scientific) return mark + sign + scientific(exact, format.decimals);
    const whole = fixed(format.percent ? hundredfold(exact) : exact, format.decimals);
    const body = shortened(whole, format);
    return `${mark}${/[1-9]/.test(body) ? sign : ""}${grouped(body)}${format.percent ? "%" : ""}`;
  }

  /** `2026-03-31`: the day that contains a moment, counted from 1899-12-30. */
  function dayText(moment) {
    const day = Math.min(Math.ceil(moment), Math.floor(moment + moment * ROUNDING_SLACK));
    return new Date((day - TO_1970) * 864e5).toISOString().slice(0, 10);
  }

  /** The inverse; NaN for what is not a day. */
  const dayNumber = (text) =>
    /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) / 864e5 + TO_1970 : NaN;

  function scientific({ digits, power }, decimals) {
    let mantissa = fixed({ digits, power: 0 }, decimals);
    if (mantissa.startsWith("10")) {
      mantissa = fixed({ digits, power: -1 }, decimals);
      power += 1;
    }
    return `${mantissa}e${power}`;
  }

  /** `326–380`; with a negative end `-3 to 5`. */
  function span(low, high, format) {
    const plainly = { ...format, approximate: false };
    const [first, last] = [number(low, plainly), number(high, plainly)];
    if (low < 0 || high < 0 || format.date) return `${first} to ${last}`;
    return `${format.percent ? first.slice(0, -1) : first}–${last}`;
  }

  /** The expected value without unit: number, word, yes, no, reason, or empty. */
  function plain(cell, format) {
    if (cell.reason !== undefined) return cell.reason;
    if (cell.value === null || cell.value === undefined) return "";
    if (typeof cell.value === "boolean") return cell.value ? "yes" : "no";
    return typeof cell.value === "string" ? cell.value : number(cell.value, format);
  }

  /** `326–380`; empty if the ends print like the value. */
  function ends(cell, format) {
    if (typeof cell.value !== "number" || (cell.low === cell.value && cell.high === cell.value))
      return "";
    const shown = number(cell.value, format);
    if (number(cell.low, format) === shown && number(cell.high, format) === shown) return "";
    return span(cell.low, cell.high, format);
  }

  const LETTERS = [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "k"]];
  const ROUNDED = 5e-4; // numbers this close below a power round up to it

  /** `70.6B`, as in people.py; `exact` keeps all digits. */
  function people(count, exact = false) {
    for (const [power, letter] of LETTERS) {
      if (count < power * (1 - (exact ? 0 : ROUNDED))) continue;
      const short = Number((count / power).toPrecision(exact ? 15 : 3));
      if (exact && String(short).length > 6) return number(count, { decimals: 0 });
      return `${short}${letter}`;
    }
    return String(count);
  }

  /** `1 GPU`, `63 runs`. */
  const counted = (count, thing) =>
    `${number(count, { decimals: 0 })} ${thing}${count === 1 ? "" : "s"}`;

  return Object.freeze({ people, counted, formatBy, dayNumber, number, span, plain, ends });
})();
