import { headingKey } from '../../text/heading-keys.ts'

/**
 * Famous works that libraries may not hold. The answer to a question about one of them says that this library lacks it,
 * not that it does not exist. Titles of the vocabulary of refs (`ref-aliases`) belong to them.
 */
const knownWorks: readonly string[] = [
  // Scripture, Mishnah, Talmud, Midrash
  ...'Genesis;Bereshit;Bereishit;Exodus;Shemot;Shemos;Leviticus;Vayikra;Numbers;Bamidbar;Deuteronomy;Devarim;Joshua;Judges;Samuel;Kings;Isaiah;Jeremiah;Ezekiel;Hosea;Joel;Amos;Jonah;Micah;Habakkuk;Zechariah;Malachi;Psalms;Tehillim;Proverbs;Mishlei;Job;Iyov;Song of Songs;Shir HaShirim;Ruth;Lamentations;Eichah;Ecclesiastes;Kohelet;Esther;Daniel;Ezra;Nehemiah;Chronicles;Midrash Rabbah;Midrash Tanchuma;Zohar Chadash;Tikkunei Zohar;Sefer Yetzirah;Sefer HaBahir;Bahir;Etz Chaim;Pri Etz Chaim;Shaar HaGilgulim;Pardes Rimonim'.split(
    ';',
  ),
  ...'בראשית;שמות;ויקרא;במדבר;דברים;יהושע;שופטים;שמואל;מלכים;ישעיה;ירמיה;יחזקאל;תהלים;תהילים;משלי;איוב;שיר השירים;איכה;קהלת;אסתר;דניאל;מדרש רבה;תיקוני זהר;תיקוני זוהר;ספר יצירה;ספר הבהיר;עץ חיים;פרי עץ חיים;שער הגלגולים;פרדס רימונים'.split(
    ';',
  ),
  // Law, thought and ethics
  ...'Mishnah;Mishna;Talmud;Gemara;Tosefta;Jerusalem Talmud;Babylonian Talmud;Yerushalmi;Mishneh Torah;Mishne Torah;Rambam;Maimonides;Hilchot Teshuvah;Hilchot Teshuva;Hilchos Teshuvah;Hilchot Deot;Shulchan Arukh;Shulchan Aruch;Shulchan Aruch HaRav;Kitzur Shulchan Aruch;Guide for the Perplexed;Moreh Nevuchim;Kuzari;Chovot HaLevavot;Duties of the Heart;Mesillat Yesharim;Mesilat Yesharim;Path of the Just;Derech Hashem;Shaarei Teshuvah;Orchot Tzaddikim;Reishit Chochmah;Reshit Chochmah;Shnei Luchot HaBrit;Shelah;Sefer HaChinuch;Sefer Chasidim;Nefesh HaChaim;Iggeret HaRamban;Tomer Devorah;Maharal;Netivot Olam'.split(
    ';',
  ),
  ...'משנה תורה;רמב"ם;הלכות תשובה;הלכות דעות;טור;מסכת ברכות;שולחן ערוך;שלחן ערוך;שולחן ערוך הרב;קיצור שולחן ערוך;מורה נבוכים;כוזרי;הכוזרי;חובות הלבבות;מסילת ישרים;מסלת ישרים;דרך השם;שערי תשובה;אורחות צדיקים;ראשית חכמה;שני לוחות הברית;ספר החינוך;ספר חסידים;נפש החיים;אגרת הרמב"ן;תומר דבורה;נתיבות עולם'.split(
    ';',
  ),
  // Chassidut
  ...'Iggeret HaBesht;Iggeret HaBaal Shem Tov;Letter of the Baal Shem Tov;Maggid Devarav LeYaakov;Or Torah;Toldot Yaakov Yosef;Toledot Yaakov Yosef;Ben Porat Yosef;Degel Machaneh Ephraim;Meor Einayim;Maor VaShemesh;Ohev Yisrael;Avodat Yisrael;Bnei Yissaschar;Tiferet Shlomo;Divrei Chaim;Mei HaShiloach;Beit Yaakov;Tzidkat HaTzaddik;Pri Tzaddik;Sfat Emet;Sefat Emet;Kotzk;Siach Sarfei Kodesh;Sippurei Maasiyot;Sichot HaRan;Shivchei HaBesht;Likutei Sichot;Likkutei Sichot;Sefer HaSichot;Hayom Yom;HaYom Yom;Kuntres Umaayan;Kuntres HaTefillah;Kuntres HaHitpaalut;Shaarei Orah;Shaar HaEmunah;Imrei Binah;Torat Chaim;Derech Mitzvotecha;Yom Tov Shel Rosh Hashanah;Basi LeGani;Siddur Im Dach;Chovat HaTalmidim;Bnei Machshavah Tovah;Esh Kodesh;Aish Kodesh;Derech Pikudecha;Yosher Divrei Emet;Igra DeKallah;Or HaMeir;Ohr HaMeir;Beit Aharon;Imrei Elimelech;Chesed LeAvraham;Netivot Shalom;Netivot Sholom;Arvei Nachal;Or HaChaim;Ohr HaChaim;Tiferet Yisrael'.split(
    ';',
  ),
  ...'אגרת הבעל שם טוב;אגרת הבעש"ט;איגרת הבעש"ט;מגיד דבריו ליעקב;אור תורה;תולדות יעקב יוסף;בן פורת יוסף;דגל מחנה אפרים;מאור עינים;מאור עיניים;מאור ושמש;אוהב ישראל;עבודת ישראל;בני יששכר;תפארת שלמה;דברי חיים;מי השילוח;בית יעקב;צדקת הצדיק;פרי צדיק;שפת אמת;סיפורי מעשיות;שיחות הר"ן;שבחי הבעש"ט;לקוטי שיחות;ליקוטי שיחות;ספר השיחות;היום יום;שערי אורה;שער האמונה;אמרי בינה;תורת חיים;דרך מצותיך;באתי לגני;חובת התלמידים;אש קודש;יושר דברי אמת;אור המאיר;בית אהרן;חסד לאברהם;נתיבות שלום;ערבי נחל;אור החיים'.split(
    ';',
  ),
]

/** Their keys, see `headingKey`. */
export const knownWorkKeys: ReadonlySet<string> = new Set(knownWorks.map(headingKey))
