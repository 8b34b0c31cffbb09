# SPDX-License-Identifier: MIT
dist_man_MANS += %D%/libtrace2.3 %D%/trace2.5
