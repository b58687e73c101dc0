/** The product's name, unless the setting `APP_NAME` has another. It is the Hebrew for "exact". */
export const productName = 'Meduyak'
