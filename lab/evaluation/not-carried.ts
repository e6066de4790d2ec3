/**
 * Names of well-known products that no shop of the sample catalogue offers, so that the best price must
 * respond with status 404.
 */
export const NOT_CARRIED: readonly string[] = `
iphone 15
iphone 15 pro max 256gb
playstation 5
ps5 controller
airpods pro
dyson v15
dyson airwrap
xbox series x
nintendo switch oled
samsung galaxy s24 ultra
google pixel 8 pro
macbook air m3
ipad mini 6
apple watch ultra 2
kindle paperwhite
sony wh-1000xm5
bose quietcomfort headphones
jbl flip 6
logitech mx master 3s
gopro hero 12
canon eos r6
dji mini 4 pro
raspberry pi 5
steam deck
thinkpad x1 carbon
sandisk extreme 1tb
lg c3 oled tv
philips sonicare
oral-b io 9
nespresso vertuo
kitchenaid artisan mixer
instant pot duo
roomba j7
lego millennium falcon
nike air max 90
adidas ultraboost
casio g-shock
pampers
nutella
coca cola zero
`
  .trim()
  .split('\n');
